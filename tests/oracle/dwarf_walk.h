// libdw's walk of a copied stack: another implementation, that knows nothing of our rows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "oracle.h"

namespace srvprof {

struct DwarfStack {
  std::vector<std::uint64_t> pcs;
  bool whole = false;  // it says that there is no further caller
};

class DwarfWalker {
 public:
  explicit DwarfWalker(pid_t pid);
  ~DwarfWalker();
  DwarfWalker(const DwarfWalker&) = delete;
  DwarfWalker& operator=(const DwarfWalker&) = delete;

  bool ready() const;
  DwarfStack walk(const oracle_copy& copy);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace srvprof
