// capture_chains v8|jsc|python PID OUT HINT...: writes the memory that is read to name the functions of HINT
// (as `srvprof dump` shows them in stacks) in a living process, in the form that the fuzzers take.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "symbolize/jsc_heap.h"
#include "symbolize/python_code.h"
#include "symbolize/v8_heap.h"
#include "target/open.h"

using namespace srvprof;

namespace {

std::string out;
std::map<std::pair<std::uint64_t, std::size_t>, bool> seen;

template <class T>
void put(T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads on, and keeps what was read.
MemoryReader keeping(pid_t pid) {
  return [memory = memory_of(pid)](std::uint64_t address, std::span<std::byte> to) {
    if (!memory(address, to)) return false;
    if (to.size() <= 4096 && !seen[{address, to.size()}]) {
      seen[{address, to.size()}] = true;
      put(address);
      put(static_cast<std::uint16_t>(to.size()));
      out.append(reinterpret_cast<const char*>(to.data()), to.size());
    }
    return true;
  };
}

bool capture_v8(pid_t pid, const std::vector<std::uint64_t>& hints) {
  const auto elf = open_elf("/proc/" + std::to_string(pid) + "/exe");
  const auto layout = elf.ok() ? read_v8_layout(*elf) : Result<V8Layout>(elf.error());
  if (!layout.ok()) return false;
  put(static_cast<std::uint8_t>(layout->scope_names < 5 ? 1 : 0));
  put(hints[0]);
  V8Heap heap(*layout, keeping(pid));
  return heap.function(hints[0]) != nullptr;
}

bool capture_jsc(pid_t pid, const std::vector<std::uint64_t>& hints) {
  for (std::size_t i = 0; i < 3; ++i) put(hints[i % hints.size()]);
  JscHeap heap(keeping(pid));
  for (const std::uint64_t hint : hints) (void)heap.function(hint);
  return true;
}

bool capture_python(pid_t pid, const std::vector<std::uint64_t>& hints) {
  const ProcFs fs;
  const auto maps = read_maps(fs, pid);
  auto root = open_root(fs, pid);
  if (!maps.ok() || !root.ok()) return false;
  const auto python = find_python(fs, pid, *root, *maps);
  if (!python.ok() || !*python) return false;
  const std::uint8_t minor = (*python)->layout.mark_between ? 12 : 11;
  put(minor);
  for (std::size_t i = 0; i < 2; ++i) put(hints[i % hints.size()]);
  put((*python)->runtime);
  PythonCode reader((*python)->layout, keeping(pid));
  for (const std::uint64_t hint : hints) (void)reader.function(hint);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string kind = argv[1];
  const auto pid = static_cast<pid_t>(std::atoi(argv[2]));
  std::vector<std::uint64_t> hints;
  for (int i = 4; i < argc; ++i) hints.push_back(std::strtoull(argv[i], nullptr, 0));
  const bool good = kind == "v8"    ? capture_v8(pid, hints)
                    : kind == "jsc" ? capture_jsc(pid, hints)
                                    : capture_python(pid, hints);
  std::ofstream(argv[3], std::ios::binary) << out;
  return good ? 0 : 1;
}
