// What stands for src/collect in a build without it (-DSRVPROF_CAPTURE=OFF).
#include "collect/mark_socket.h"
#include "collect/session.h"

namespace srvprof {
namespace {

constexpr const char* kFix =
    "build srvprof with -DSRVPROF_CAPTURE=ON, on a machine with clang and libbpf";

}  // namespace

Result<CaptureResult> capture(const CaptureOptions&, const CaptureHooks&) {
  return Error{"recording: this srvprof was built for reports only", kFix, ErrorKind::kKernel};
}

Result<std::size_t> send_mark(const std::string&, std::uint32_t) {
  return Error{"marking: this srvprof was built for reports only", kFix, ErrorKind::kKernel};
}

std::vector<ProbeInfo> list_probes(const std::string&) { return {}; }
std::vector<std::string> capture_ways() { return {"auto"}; }

std::vector<DoctorLine> doctor(bool) {
  DoctorLine line;
  line.name = "live capture";
  line.found = "this srvprof was built for reports only";
  line.needed = "a build with capture";
  line.fix = kFix;
  line.kind = ErrorKind::kKernel;
  return {line};
}

}  // namespace srvprof
