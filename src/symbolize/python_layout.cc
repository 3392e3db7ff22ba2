#include "symbolize/python_layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "elf/constants.h"
#include "elf/elf_file.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::uint32_t k311 = 0x030b, k312 = 0x030c, k313 = 0x030d;
// _frameowner: a frame on the C stack, between the runs of two activations of the loop.
constexpr std::uint8_t kOwnedByCStack = 3;
constexpr std::uint64_t kMostEval = std::uint64_t{4} << 20;

Error unknown(const std::string& why) { return Error{"reading functions of Python: " + why, "", {}}; }

// The words of _Py_DebugOffsets as 3.13 has them (pycore_runtime.h), by their place.
enum Word : std::size_t {
  kCookie, kVersion, kFreeThreaded,
  kRuntimeSize, kFinalizing, kInterpretersHead,
  kInterpreterSize, kInterpreterId, kInterpreterNext, kThreadsHead, kFirstOfInterpreter,
  kThreadSize = kFirstOfInterpreter + 9, kThreadPrev, kThreadNext, kThreadInterp, kCurrentFrame, kThreadId,
  kNativeThreadId, kDatastackChunk, kThreadStatus,
  kFrameSize, kFramePrevious, kFrameExecutable, kInstruction, kLocals, kFrameOwner,
  kCodeSize, kCodeFile, kCodeName, kCodeQualname, kLinetable, kFirstLine, kArgumentCount, kLocalNames, kLocalKinds,
  kAdaptive,
  kObjectSize, kObjectType,
  kTypeSize, kTypeName, kTypeRepr, kTypeFlags,
  kTupleSize, kTupleItem, kTupleLength,
  kListSize, kListItem, kListLength,
  kDictSize, kDictKeys, kDictValues,
  kFloatSize, kFloatValue,
  kLongSize, kLongTag, kLongDigit,
  kBytesSize, kBytesLength, kBytesValue,
  kTextSize, kTextState, kTextLength, kAsciiSize,
  kWords,
};

struct Found {
  ElfFile elf;
  std::uint64_t bias = 0;  // address - ELF address
};

bool may_be_python(const MemoryMapping& m, const std::string& exe) {
  if (m.kind != MappingKind::kFile || !m.exec) return false;
  const std::string_view name = std::string_view(m.path).substr(m.path.rfind('/') + 1);
  return m.path == exe || name.starts_with("python3") || name.starts_with("libpython3");
}

std::optional<std::uint64_t> bias_of(const ElfFile& elf, const MemoryMapping& m) {
  const auto vaddr = offset_to_vaddr(elf, m.offset);
  if (!vaddr) return std::nullopt;
  return m.start - *vaddr;
}

Result<std::uint32_t> version_of(const ElfFile& elf) {
  const auto symbol = find_export(elf, "Py_Version");
  const auto offset = symbol ? vaddr_to_offset(elf, symbol->vaddr) : std::nullopt;
  if (!offset) return unknown("older than 3.11, or its version is not exported");
  const std::string bytes = TRY(read_bytes(elf, *offset, 4, 4));
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data(), sizeof version);
  return version;
}

Result<PythonLayout> layout_of(pid_t pid, std::uint32_t version, std::uint64_t runtime) {
  if (const auto known = python_layout(version)) return *known;
  if (version >> 16 == k313) return read_python_layout(memory_of(pid), runtime);
  return unknown(fmt::format("it is Python {}.{}, those of 3.11 to 3.13 are read", version >> 24,
                             version >> 16 & 0xff));
}

}  // namespace

std::optional<PythonLayout> python_layout(std::uint32_t version) {
  PythonLayout l;
  l.interpreter = 48;  // the main one
  l.thread_next = 8;
  l.thread_frame = 56;
  l.code_file = 112;
  l.code_name = 128;  // qualified
  if (version >> 16 == k311) {
    l.threads = 16;
    l.thread_id = 152;
    l.frame_of_holder = 8;
    l.frame_code = 32;
    l.frame_previous = 48;
    l.frame_mark = 68;  // is_entry
    l.frame_mark_value = 1;
    l.code_line = 72;
    l.text_ascii = 48;
    l.text_other = 72;
    return l;
  }
  if (version >> 16 == k312) {
    l.threads = 72;
    l.thread_id = 136;
    l.frame_of_holder = 0;
    l.frame_code = 0;
    l.frame_previous = 8;
    l.frame_mark = 70;  // owner
    l.frame_mark_value = kOwnedByCStack;
    l.mark_between = true;
    l.code_line = 68;
    l.text_ascii = 40;
    l.text_other = 56;
    return l;
  }
  return std::nullopt;
}

Result<PythonLayout> read_python_layout(const MemoryReader& memory, std::uint64_t runtime) {
  std::array<std::uint64_t, kWords> w{};
  if (!memory(runtime, std::as_writable_bytes(std::span(w)))) return unknown("_PyRuntime is not readable");
  if (std::memcmp(w.data(), "xdebugpy", 8) != 0 || w[kVersion] >> 16 != k313) {
    return unknown("the offsets that it publishes are not those of 3.13");
  }
  PythonLayout l;
  const std::pair<std::uint16_t PythonLayout::*, Word> kFields[] = {
      {&PythonLayout::interpreter, kInterpretersHead},  {&PythonLayout::threads, kThreadsHead},
      {&PythonLayout::thread_next, kThreadNext},        {&PythonLayout::thread_id, kThreadId},
      {&PythonLayout::thread_frame, kCurrentFrame},     {&PythonLayout::frame_code, kFrameExecutable},
      {&PythonLayout::frame_previous, kFramePrevious},  {&PythonLayout::frame_mark, kFrameOwner},
      {&PythonLayout::object_type, kObjectType},        {&PythonLayout::type_name, kTypeName},
      {&PythonLayout::code_line, kFirstLine},           {&PythonLayout::code_file, kCodeFile},
      {&PythonLayout::code_name, kCodeQualname},        {&PythonLayout::text_length, kTextLength},
      {&PythonLayout::text_state, kTextState},          {&PythonLayout::text_ascii, kAsciiSize}};
  for (const auto& [member, word] : kFields) {
    if (w[word] >= kNoPythonOffset) return unknown("an offset that it publishes is out of range");
    l.*member = static_cast<std::uint16_t>(w[word]);
  }
  l.frame_mark_value = kOwnedByCStack;
  l.mark_between = true;
  l.text_other = static_cast<std::uint16_t>(l.text_ascii + 16);  // length and address of its UTF-8 form
  return l;
}

Result<std::optional<PythonProcess>> find_python(const ProcFs& fs, pid_t pid, const Fd& root,
                                                 std::span<const MemoryMapping> maps) {
  const auto first = std::find_if(maps.begin(), maps.end(), [](const MemoryMapping& m) {
    return m.exec && m.kind == MappingKind::kFile;
  });
  if (first == maps.end()) return std::optional<PythonProcess>();
  for (const MemoryMapping& m : maps) {
    if (!may_be_python(m, first->path)) continue;
    auto fd = open_mapped_file(fs, pid, root, m);
    if (!fd.ok()) continue;
    const auto elf = open_elf(std::move(*fd));
    if (!elf.ok()) continue;
    const auto runtime = find_export(*elf, "_PyRuntime"), eval = find_export(*elf, "_PyEval_EvalFrameDefault");
    const auto bias = bias_of(*elf, m);
    if (!runtime || !eval || !bias || eval->size > kMostEval) continue;
    PythonProcess python;
    python.runtime = runtime->vaddr + *bias;
    python.eval_begin = eval->vaddr + *bias;
    python.eval_end = python.eval_begin + eval->size;
    const std::uint32_t version = TRY(version_of(*elf));
    python.layout = TRY(layout_of(pid, version, python.runtime));
    return std::optional(python);
  }
  return std::optional<PythonProcess>();
}

}  // namespace srvprof
