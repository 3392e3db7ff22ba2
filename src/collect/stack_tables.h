// The tables by which the kernel side walks user stacks (bpf/unwind.h): made from the targets' mappings
// and the .eh_frame of what they map, kept up to date while the targets load and unload code.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "collect/map_view.h"
#include "recording/writer.h"
#include "symbolize/python_layout.h"
#include "target/proc_fs.h"
#include "unwind/modules.h"

struct sp_shared;
struct sp_text;
struct sp_bucket;
struct sp_row;

namespace srvprof {

class StackTables {
 public:
  // How many entries the kernel's maps must have.
  struct Sizes {
    std::uint32_t texts = 0, buckets = 0, rows = 0;
  };
  // Descriptors of the kernel's maps; they stay the caller's.
  struct Maps {
    int spaces = -1, texts = -1, buckets = -1, rows = -1;
    Sizes sizes;
    int pythons = -1;  // -1: frames of CPython's interpreter are not told apart by function
  };

  explicit StackTables(ProcFs fs);

  // A process whose stacks are walked; runtime: its runtimes' names, comma-separated. Its code is read
  // now, its tables are written by connect(), or now if that was called before.
  void add(pid_t pid, const std::string& runtime);
  // For the code that is known so far, with room for more.
  Sizes sizes() const;
  // Writes the tables of every process. Error: the maps cannot be mapped or written.
  Status connect(const Maps& maps);
  // The process has a new program, or new code.
  void changed(pid_t pid);
  // Reads the mappings again of what changed, or of all when the walker met code that it does not know
  // or lost its way; rate-limited. Cheap when there is nothing to do.
  void refresh(Time now, const sp_shared& shared);
  bool knows(pid_t pid) const { return processes_.contains(pid); }
  // As of the last reading; empty for a process that was not added.
  std::span<const CodeRange> code(pid_t pid) const;

  // "471,020 rows of 9 modules, 4.1 MB"
  std::string summary() const;
  // What could not be held, as Capability rows.
  void write_capabilities(RecordingWriter& writer) const;

 private:
  struct Process {
    std::string runtime;
    std::uint32_t first = 0, count = 0, room = 0;  // in texts
    std::uint32_t old_first = 0, old_room = 0;     // still read by walks that began before
    bool changed = true;
    std::vector<CodeRange> code;
    std::uint32_t shared_off = 0;
    bool switches = false;
    std::uint32_t hint = 0;
    std::optional<PythonProcess> python;
  };

  Status scan(pid_t pid, Process& process);
  Status write(pid_t pid, Process& process);
  void look_for_python(pid_t pid, const Fd& root, std::span<const MemoryMapping> maps, Process& process);
  Status write_python(pid_t pid, const PythonProcess& python);
  std::optional<std::uint32_t> place(const ModuleRows& rows);
  std::optional<std::uint32_t> take_texts(std::uint32_t count);
  void give_texts(std::uint32_t first, std::uint32_t count);
  void note(std::string text);

  ProcFs fs_;
  CodeModules modules_;
  std::map<pid_t, Process> processes_;
  Maps maps_;
  MapView texts_, buckets_, rows_;
  std::map<const ModuleRows*, std::optional<std::uint32_t>> placed_;  // first bucket
  std::uint32_t rows_used_ = 0, buckets_used_ = 0, tag_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> free_texts_;  // first, count
  Time last_scan_;
  Duration gap_{};
  std::uint64_t lost_way_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace srvprof
