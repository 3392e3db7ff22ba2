#include "analyze/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace srvprof {
namespace {

// Kernel frames that every blocked task shows: they say nothing about why.
bool is_scheduler(std::string_view function) {
  static constexpr std::string_view kNames[] = {"__schedule",
                                                "schedule",
                                                "schedule_timeout",
                                                "io_schedule",
                                                "io_schedule_timeout",
                                                "schedule_preempt_disabled",
                                                "preempt_schedule",
                                                "preempt_schedule_irq",
                                                "__cond_resched",
                                                "schedule_hrtimeout_range",
                                                "schedule_hrtimeout_range_clock",
                                                "__traceiter_sched_switch",
                                                "wait_woken",
                                                "__perf_event_task_sched_out",
                                                "exit_to_user_mode_loop"};
  return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames) ||
         function.rfind("bpf_", 0) == 0;
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "server.js:14"; names of modules that are part of the runtime ("node:internal/fs/utils") stay whole.
std::string place_of(const rows::Frame& frame) {
  const bool built_in = frame.file.starts_with("node:") || frame.file.starts_with("bun:");
  std::string place(built_in ? frame.file : base_name(frame.file));
  if (frame.line != 0) place += fmt::format(":{}", frame.line);
  return place;
}

// With the place where the function begins, since a file has many functions of one name (and many
// without). Lines of compiled languages are those of the call: they would split the function.
std::string function_of(const rows::Frame& frame) {
  if (!is_script(frame) || frame.file.empty()) return frame.function;
  return frame.function + " " + place_of(frame);
}

std::string name_of_frame(const rows::Frame& frame, bool kernel) {
  if (!frame.function.empty()) return kernel ? frame.function + "_[k]" : function_of(frame);
  if (!frame.module.empty()) {
    return fmt::format("{}+{:#x}", base_name(frame.module), frame.module_offset);
  }
  return fmt::format("{:#x}", frame.pc);
}

}  // namespace

const std::vector<rows::Frame>* frames_at(const Trace& trace, const rows::Stack& stack,
                                          std::size_t i) {
  const std::uint64_t hint = i < stack.hints.size() ? stack.hints[i] : 0;
  auto found = trace.frames.find({stack.pid, stack.pcs[i], hint});
  if (found == trace.frames.end() && hint != 0) {
    found = trace.frames.find({stack.pid, stack.pcs[i], 0});
  }
  return found == trace.frames.end() || found->second.empty() ? nullptr : &found->second;
}

namespace {

// Functions of a stack that have a name, innermost first.
std::vector<const rows::Frame*> named_functions(const Trace& trace, std::uint64_t hash) {
  std::vector<const rows::Frame*> out;
  const auto stack = trace.stacks.find(hash);
  if (hash == 0 || stack == trace.stacks.end()) return out;
  for (std::size_t i = 0; i < stack->second.pcs.size(); ++i) {
    const auto* frames = frames_at(trace, stack->second, i);
    if (!frames) continue;
    for (const rows::Frame& frame : *frames) {
      if (frame.function.empty()) continue;
      if (stack->second.pid == 0 && is_scheduler(frame.function)) continue;
      out.push_back(&frame);
    }
  }
  return out;
}

}  // namespace

bool is_script(const rows::Frame& frame) {
  return frame.source == "v8" || frame.source == "jsc" || frame.source == "cpython";
}

std::vector<std::string> frame_names(const Trace& trace, std::uint64_t hash) {
  std::vector<std::string> out;
  const auto stack = trace.stacks.find(hash);
  if (hash == 0 || stack == trace.stacks.end()) return out;
  const bool kernel = stack->second.pid == 0;
  const auto& pcs = stack->second.pcs;
  for (std::size_t i = pcs.size(); i-- > 0;) {
    const auto* frames = frames_at(trace, stack->second, i);
    if (!frames) {
      out.push_back(fmt::format("{:#x}{}", pcs[i], kernel ? "_[k]" : ""));
      continue;
    }
    for (auto frame = frames->rbegin(); frame != frames->rend(); ++frame) {
      out.push_back(name_of_frame(*frame, kernel));
    }
  }
  return out;
}

std::string innermost_name(const Trace& trace, std::uint64_t kstack, std::uint64_t ustack) {
  const auto user = named_functions(trace, ustack);
  const auto script = std::find_if(user.begin(), user.end(),
                                   [](const rows::Frame* frame) { return is_script(*frame); });
  if (script != user.end()) return function_of(**script);
  if (!user.empty()) return user.front()->function;
  if (const auto kernel = named_functions(trace, kstack); !kernel.empty()) {
    return kernel.front()->function;
  }
  const auto names = frame_names(trace, ustack);
  return names.empty() ? std::string{} : names.back();
}

std::string innermost_names(const Trace& trace, std::uint64_t hash, std::size_t depth) {
  auto functions = named_functions(trace, hash);
  const auto script = std::find_if(functions.begin(), functions.end(),
                                   [](const rows::Frame* frame) { return is_script(*frame); });
  // A script's function says more than the runtime's own that it called.
  if (depth >= 2 && script != functions.end() &&
      script >= functions.begin() + static_cast<std::ptrdiff_t>(depth)) {
    functions[depth - 1] = *script;
  }
  std::string out;
  for (std::size_t i = 0; i < functions.size() && i < depth; ++i) {
    if (i) out += " <- ";
    out += function_of(*functions[i]);
  }
  return out;
}

}  // namespace srvprof
