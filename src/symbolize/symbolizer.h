// From addresses of one process, and of the kernel, to functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "symbolize/modules.h"
#include "symbolize/source.h"

namespace srvprof {

class Symbolizer {
 public:
  // Reads the mappings of `pid` and opens the files behind them. `modules` may be shared by the
  // symbolizers of several processes; null = a cache of its own. Error if the process is gone or
  // may not be inspected.
  static Result<Symbolizer> open(const ProcFs& fs, pid_t pid,
                                 std::shared_ptr<ModuleCache> modules = nullptr);

  // Reads the mappings again (after dlopen, exec). When that fails the last ones stay in use.
  Status refresh_mappings();

  // What is at `pc`: one frame, or several where functions were inlined, innermost first; never
  // empty. For a return address (every frame of a stack but the innermost) pass pc - 1: the call
  // may be the last instruction of its function. `hint` is the frame's own word (Question). An
  // address outside of all executable mappings makes them be read again, at most every 250 ms.
  std::vector<ResolvedFrame> resolve(std::uint64_t pc, bool kernel, std::uint64_t hint = 0);

  // Reads what a hint means, soon after it was seen: the target may move the object.
  void learn(std::uint64_t hint);
  // To be called when the target's garbage collector has moved objects (V8: at a mark-compact).
  void forget();

  // As of the last reading, ascending.
  std::span<const MemoryMapping> mappings() const { return state_->target.maps; }

  // Hex build id of the file behind a mapping; "" if it has none or cannot be read.
  std::string build_id(const MemoryMapping& mapping) const;

  // What could not be read so far, and why.
  std::vector<std::string> notes() const;

 private:
  // Sources refer to the target, so it must not move.
  struct State {
    TargetView target;
    std::vector<std::unique_ptr<SymbolSource>> sources;
    Time last_refresh;
  };

  explicit Symbolizer(std::unique_ptr<State> state) : state_(std::move(state)) {}

  std::unique_ptr<State> state_;
};

}  // namespace srvprof
