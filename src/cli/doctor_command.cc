// srvprof doctor: what this kernel and these privileges allow.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "collect/session.h"
#include "render/layout.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"sudo srvprof doctor", "can srvprof record here, and if not, what to run"},
    {"sudo srvprof doctor -v", "with all that the kernel's verifier says of what it refuses"},
};

std::string line_text(const DoctorLine& line, const Paint& paint) {
  const std::string mark = line.ok         ? paint.green("ok")
                           : line.required ? paint.red("missing")
                                           : paint.yellow("without");
  constexpr std::size_t kMarkColumns = 7;
  std::string out = std::string(kMarkColumns - display_width(mark), ' ') + mark + "  ";
  std::string text = line.name;
  if (!line.found.empty()) text += ": " + line.found;
  if (!line.ok && !line.needed.empty()) text += ", needed: " + line.needed;
  out = wrap(out, 9, text, 100);
  if (!line.ok && !line.fix.empty()) out += "         run: " + line.fix + '\n';
  return out;
}

Result<int> run(const Args&, Console& console) {
  const Paint paint(console.color());
  std::string out;
  int code = 0;
  std::size_t missing = 0;
  for (const DoctorLine& line : doctor(console.verbose() > 0)) {
    out += line_text(line, paint);
    if (line.ok || !line.required) continue;
    ++missing;
    // A missing right comes first: with it, more of the rest can be told.
    if (code == 0 || line.kind == ErrorKind::kPermission) code = static_cast<int>(line.kind);
  }
  out += missing == 0 ? "srvprof can record here\n"
                      : fmt::format("srvprof cannot record here: {} of the above {} missing\n",
                                    missing, missing == 1 ? "is" : "are");
  TRY(write_stdout(out));
  return code;
}

}  // namespace

extern const Command kDoctorCommand;
const Command kDoctorCommand = {
    .name = "doctor",
    .summary = "say what this kernel and these privileges allow, probe by probe; changes nothing",
    .arguments = "",
    .examples = kExamples,
    .run = run,
};

}  // namespace srvprof
