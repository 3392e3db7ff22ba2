#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace srvprof {

Error errno_error(std::string what, int errno_value) {
  Error e;
  e.what = std::move(what) + ": " + std::generic_category().message(errno_value);
  if (errno_value == EPERM || errno_value == EACCES) e.kind = ErrorKind::kPermission;
  return e;
}

}  // namespace srvprof
