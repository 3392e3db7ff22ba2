// `srvprof mark NAME`: the name of a phase, handed to a running recording.
//
// The recording listens on an abstract Unix socket, so nothing is left in any file system. Both ends
// look at the other's credentials (SO_PEERCRED): the recording takes marks of root, of its own user
// and of the user behind sudo; the sender talks only to root's and its own user's recordings.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace srvprof {

inline constexpr std::string_view kMarkPrefix = "srvprof.mark.";
inline constexpr std::size_t kMostMarkName = 64;

// Letters, digits and . _ - only: it becomes a phase's name.
bool is_mark_name(std::string_view name);

class MarkSocket {
 public:
  // Of a recording of process `target`; takes marks of `owner` besides root and our own user.
  static Result<MarkSocket> open(std::uint32_t target, uid_t owner);

  // Takes what has come meanwhile; never waits.
  void poll(const std::function<void(Time, const std::string&)>& mark);

 private:
  explicit MarkSocket(Fd fd, uid_t owner) : listener_(std::move(fd)), owner_(owner) {}
  struct Pending {
    Fd fd;
    Time since;
  };
  void accept_all(Time now);
  bool may_mark(int fd) const;

  Fd listener_;
  uid_t owner_;
  std::vector<Pending> pending_;
};

// Sends the mark to every recording of this network namespace that takes it, or only to those of
// process `target` (0 = all). The number of them; an Error if there is none.
Result<std::size_t> send_mark(const std::string& name, std::uint32_t target);

}  // namespace srvprof
