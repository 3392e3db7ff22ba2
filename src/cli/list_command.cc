// srvprof list: what there is to name in other commands.
#include <fmt/format.h>

#include "analyze/causes/cause.h"
#include "base/escape.h"
#include "cli/command.h"
#include "cli/output.h"
#include "collect/session.h"
#include "loadgen/loadgen.h"
#include "render/format.h"
#include "render/layout.h"
#include "runtime/runtime.h"
#include "target/process.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

using Align = TextTable::Align;

Result<std::string> list_servers(const Paint& paint) {
  const ProcFs fs;
  TextTable table({Align::kRight, Align::kLeft, Align::kLeft});
  table.row({"PID", "LISTENS ON", "COMMAND"});
  for (pid_t pid : TRY(list_numbers(fs.proc))) {
    const Result<Listeners> listeners = read_listeners(fs, pid);
    const Result<ProcessInfo> process = read_process(fs, pid);
    if (!listeners.ok() || !process.ok()) continue;  // gone, or another user's
    std::string ports;
    for (std::uint16_t port : listening_ports(*listeners)) {
      ports += fmt::format("{}:{}", ports.empty() ? "" : " ", port);
    }
    if (!ports.empty()) table.row({std::to_string(pid), ports, command_summary(*process)});
  }
  return table.text("", paint);
}

Result<std::string> list_causes(const Paint& paint) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.row({"CAUSE", "WHAT IT IS"});
  for (const Cause* cause : all_causes()) {
    table.row({std::string(cause->id), std::string(cause->doc)});
  }
  return table.text("", paint);
}

Result<std::string> list_formats(const Paint& paint) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  table.row({"FORMAT", "EXTENSION", "WHAT IT IS"});
  for (const Format& format : formats()) {
    table.row({std::string(format.name), std::string(format.extension), std::string(format.doc)});
  }
  return table.text("", paint);
}

Result<std::string> list_probes_text(const Paint& paint) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  table.row({"PROBE", "COST", "WHAT FOR"});
  for (const ProbeInfo& probe : list_probes("")) {
    table.row({probe.name, probe.cost, probe.purpose + (probe.optional ? " (optional)" : "")});
  }
  return table.text("", paint);
}

Result<std::string> list_loadgens(const Paint& paint) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  table.row({"LOADGEN", "WRITTEN BY", "WHAT IS KEPT"});
  for (const LoadFormat& format : load_formats()) {
    table.row({std::string(format.name), std::string(format.doc), std::string(format.keeps)});
  }
  return table.text("", paint);
}

Result<std::string> list_runtimes(const Paint& paint) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.row({"RUNTIME", "WHAT IS KNOWN OF IT"});
  for (const Runtime& runtime : all_runtimes()) {
    table.row({std::string(runtime.name), std::string(runtime.doc)});
  }
  return table.text("", paint);
}

struct Topic {
  std::string_view name;
  Result<std::string> (*text)(const Paint& paint);
};

constexpr Topic kTopics[] = {
    {"servers", list_servers},   {"causes", list_causes},      {"formats", list_formats},
    {"loadgens", list_loadgens}, {"probes", list_probes_text}, {"runtimes", list_runtimes},
};

std::vector<std::string> topic_names() {
  std::vector<std::string> out;
  for (const Topic& topic : kTopics) out.emplace_back(topic.name);
  return out;
}

constexpr Example kExamples[] = {
    {"sudo srvprof list servers", "which processes listen on which port"},
    {"srvprof list causes", "what srvprof can find"},
};

Result<int> run(const Args& args, Console& console) {
  for (const Topic& topic : kTopics) {
    if (topic.name != args.words[0]) continue;
    const std::string text = TRY(topic.text(Paint(console.color())));
    TRY(write_stdout(text));
    return 0;
  }
  return usage_error(fmt::format("list: there is no list of '{}'", escape_text(args.words[0])),
                     fmt::format("one of {}", fmt::join(topic_names(), ", ")));
}

}  // namespace

extern const Command kListCommand;
const Command kListCommand = {
    .name = "list",
    .summary = "list servers of this machine, or what this version knows: causes, formats, ...",
    .arguments = "servers|causes|formats|loadgens|probes|runtimes",
    .examples = kExamples,
    .least_words = 1,
    .most_words = 1,
    .word = "servers|causes|formats|loadgens|probes|runtimes",
    .words = topic_names,
    .run = run,
};

}  // namespace srvprof
