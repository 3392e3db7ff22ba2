// Where CPython keeps what: the frames of its functions, and what it knows of a function.
//
// Up to 3.12 the offsets follow from the headers of each version (Include/internal/pycore_*.h, cpython/code.h)
// and have not changed within one; 3.13 publishes them at the start of _PyRuntime (_Py_DebugOffsets).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "target/maps.h"
#include "target/memory.h"
#include "target/proc_fs.h"

namespace srvprof {

inline constexpr std::uint16_t kNoPythonOffset = 0xffff;

// All in bytes from the start of their object.
struct PythonLayout {
  std::uint16_t interpreter = 0;  // _PyRuntime -> the interpreter
  std::uint16_t threads = 0;      // interpreter -> its first thread
  std::uint16_t thread_next = 0;
  std::uint16_t thread_id = 0;     // what pthread_self() is there
  std::uint16_t thread_frame = 0;  // -> the innermost frame, or what points to it
  std::uint16_t frame_of_holder = kNoPythonOffset;
  std::uint16_t frame_code = 0, frame_previous = 0;
  // A byte that tells where a run of frames ends that one activation of the interpreter's loop executes:
  // `frame_mark_value` marks a frame between two runs, or else the last frame of a run.
  std::uint16_t frame_mark = 0;
  std::uint8_t frame_mark_value = 0;
  bool mark_between = false;

  std::uint16_t object_type = 8, type_name = 24;  // a C string
  std::uint16_t code_line = 0, code_file = 0, code_name = 0;
  std::uint16_t text_length = 16, text_state = 32;
  std::uint16_t text_ascii = 0, text_other = 0;  // the characters of a text in ASCII, of another one
};

// Of 3.11 and 3.12; nothing for others. `version`: as in Py_Version, 0x030b02f0 is 3.11.2.
std::optional<PythonLayout> python_layout(std::uint32_t version);
// By what 3.13 publishes at `runtime`. Error: not readable, or makes no sense.
Result<PythonLayout> read_python_layout(const MemoryReader& memory, std::uint64_t runtime);

// The interpreter of a process. Addresses are those of the process.
struct PythonProcess {
  PythonLayout layout;
  std::uint64_t eval_begin = 0, eval_end = 0;  // the interpreter's loop, _PyEval_EvalFrameDefault
  std::uint64_t runtime = 0;                   // _PyRuntime
};

// Nothing: no Python is mapped. Error: one is, whose functions cannot be read, and why.
Result<std::optional<PythonProcess>> find_python(const ProcFs& fs, pid_t pid, const Fd& root,
                                                 std::span<const MemoryMapping> maps);

}  // namespace srvprof
