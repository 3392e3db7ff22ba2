// srvprof dump: a recording as text, and back.
#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text_file.h"
#include "recording/text.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostText = std::numeric_limits<std::size_t>::max();

constexpr Example kExamples[] = {
    {"srvprof dump run.srvprof | less", "what was recorded, row by row"},
    {"srvprof dump --from-text run.txt -o run.srvprof", "a recording from such a text"},
};

constexpr Option kOptions[] = {
    kOutputOption,
    kForceOption,
    {"from-text", 0, "", "the other way: text (- is stdin) to a recording (-o)"},
};

Result<int> from_text(const Args& args) {
  const std::string path = args.text("output");
  if (path.empty() || path == "-") {
    return usage_error("dump: --from-text needs -o FILE",
                       "srvprof dump --from-text run.txt -o run.srvprof");
  }
  const std::string text = TRY(read_text_file(args.words[0], kMostText));
  if (args.has("force") && exists(path)) std::remove(path.c_str());
  const FileOwner owner = file_owner();
  RecordingWriter writer = TRY(RecordingWriter::create(path, owner));
  Status status = write_text(text, writer, args.words[0]);
  if (status.ok()) status = writer.close();
  if (!status.ok()) {
    std::remove(path.c_str());
    return status.error();
  }
  TRY(write_stdout(file_link(path) + '\n'));
  return 0;
}

Result<int> run(const Args& args, Console& console) {
  if (args.has("from-text")) return from_text(args);
  RecordingReader reader = TRY(RecordingReader::open(args.words[0]));
  Output out = TRY(Output::create(args.text("output", "-"), args.has("force")));
  const ReadReport report =
      TRY(dump_text(reader, [&](std::string_view lines) { return out.write(lines); }));
  TRY(out.commit());
  if (report.damaged()) {
    console.warning(fmt::format("reading {}: {}", escape_text(args.words[0]),
                                escape_text(report.first_damage)));
  }
  TRY(print_link(args.text("output", "-")));
  return 0;
}

}  // namespace

extern const Command kDumpCommand;
const Command kDumpCommand = {
    .name = "dump",
    .summary = "print a recording as text, or make one from that text",
    .arguments = "RECORDING [-o FILE] | --from-text TEXT -o RECORDING",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
