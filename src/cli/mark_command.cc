// srvprof mark: names the phase of the load that begins now, in a running recording.
#include <fmt/format.h>

#include "cli/command.h"
#include "collect/mark_socket.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"srvprof mark after-deploy", "the phase that begins now, in whatever srvprof records here"},
};

constexpr Option kOptions[] = {
    {"pid", 'p', "PID", "only in recordings of this process"},
};

Result<int> run(const Args& args, Console& console) {
  const std::uint64_t pid = TRY(args.number("pid", 0, 1, 1u << 22));
  const std::size_t n = TRY(send_mark(args.words[0], static_cast<std::uint32_t>(pid)));
  console.message(
      fmt::format("marked '{}' in {} recording{}", args.words[0], n, n == 1 ? "" : "s"));
  return 0;
}

}  // namespace

extern const Command kMarkCommand;
const Command kMarkCommand = {
    .name = "mark",
    .summary = "name the phase of the load that begins now, in a running recording",
    .arguments = "NAME [-p PID]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "NAME",
    .run = run,
};

}  // namespace srvprof
