#include "collect/stack_tables.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "collect/skeleton.h"
#include "target/maps.h"
#include "target/open.h"
#include "unwind.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// Rows of all modules together: 16 MB. Node has about 0.4 to 0.9 million, libc 30 thousand.
constexpr std::size_t kMaxRows = std::size_t{2} << 20;
constexpr std::uint32_t kRoomForRows = 1u << 18;     // for what is loaded later
constexpr std::uint32_t kRoomForBuckets = 1u << 16;  // 64 MB of code
constexpr std::uint32_t kMinTexts = 1u << 14;
constexpr std::size_t kMaxTextsOfProcess = 4000;  // below 2 to the power of SP_TEXT_STEPS
constexpr Duration kShortestGap = 250ms;  // between two readings of mappings
constexpr Duration kLongestGap = 4s;      // when readings bring nothing new

static_assert(sizeof(sp_row) == sizeof(UnwindRow) && sizeof(sp_text) == 32 && sizeof(sp_bucket) == 8);
static_assert(kNoPythonOffset == int{SP_PYTHON_NONE} && sizeof(sp_python) == 48);
static_assert(kRowNone == int{SP_ROW_NONE} && kRowMax == int{SP_ROW_MAX} && kRowDerefSp == int{SP_ROW_DEREF_SP} &&
              kRowDerefSpMax == int{SP_ROW_DEREF_SP_MAX} && kRowDeref == int{SP_ROW_DEREF} && kRowLeaf == int{SP_ROW_LEAF} &&
              kRowEnd == int{SP_ROW_END} && kRowSignal == int{SP_ROW_SIGNAL} && kRowPlt == int{SP_ROW_PLT} &&
              kRbpLost == int{SP_RBP_LOST} && kBucketShift == unsigned{SP_BUCKET_SHIFT});

bool has_word(const std::string& words, std::string_view word) {
  std::size_t at = 0;
  while (at <= words.size()) {
    const std::size_t end = std::min(words.find(',', at), words.size());
    if (std::string_view(words).substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool same_code(const std::vector<CodeRange>& a, const std::vector<CodeRange>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CodeRange& x, const CodeRange& y) {
    return x.start == y.start && x.end == y.end && x.bias == y.bias && x.rows == y.rows &&
           x.managed == y.managed;
  });
}

}  // namespace

StackTables::StackTables(ProcFs fs) : fs_(fs), modules_(std::move(fs), kMaxRows) {}

void StackTables::note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

void StackTables::add(pid_t pid, const std::string& runtime) {
  if (processes_.size() >= SP_SPACES) return note("too many processes: some are walked by frame pointer");
  Process& p = processes_[pid];
  p.runtime = runtime;
  p.switches = has_word(runtime, "go");
  p.changed = false;
  if (const Status s = scan(pid, p); !s.ok()) return note(s.error().what);
  if (maps_.spaces < 0) return;
  if (const Status s = write(pid, p); !s.ok()) note(s.error().what);
}

Status StackTables::scan(pid_t pid, Process& p) {
  const std::vector<MemoryMapping> maps = TRY(read_maps(fs_, pid));
  Fd root;
  if (auto opened = open_root(fs_, pid)) root = std::move(*opened);
  const bool jsc = has_word(p.runtime, "bun");
  p.hint = jsc ? SP_HINT_JSC : SP_HINT_NONE;
  std::string exe;
  for (const MemoryMapping& m : maps) {
    if (m.kind == MappingKind::kFile && m.exec) {
      exe = m.path;
      break;
    }
  }
  auto code_of = [&](const MemoryMapping& m) -> MappedCode {
    const CodeModule* module = modules_.find(pid, root, m);
    if (module == nullptr) return {};
    MappedCode code;
    code.elf = &module->elf;
    if (!module->rows.rows.empty()) code.rows = &module->rows;
    if (module->v8_shared) {
      p.hint = SP_HINT_V8;
      p.shared_off = *module->v8_shared;
      code.managed = true;
    }
    if (jsc && m.path == exe) code.managed = true;
    return code;
  };
  p.code = map_code(maps, code_of);
  if (p.hint == SP_HINT_NONE && has_word(p.runtime, "cpython")) look_for_python(pid, root, maps, p);
  if (p.code.size() > kMaxTextsOfProcess) {
    p.code.resize(kMaxTextsOfProcess);
    note(fmt::format("process {} maps more code than fits: frames beyond are followed by frame pointer", pid));
  }
  return {};
}

// Why its functions cannot be told is said by their symbol source.
void StackTables::look_for_python(pid_t pid, const Fd& root, std::span<const MemoryMapping> maps, Process& p) {
  if (!p.python) {
    if (auto found = find_python(fs_, pid, root, maps); found.ok()) p.python = *found;
  }
  if (p.python) p.hint = SP_HINT_PYTHON;
}

Status StackTables::write_python(pid_t pid, const PythonProcess& python) {
  const PythonLayout& l = python.layout;
  sp_python entry{};
  entry.eval_begin = python.eval_begin;
  entry.eval_end = python.eval_end;
  entry.interpreter = python.runtime + l.interpreter;
  entry.threads = l.threads;
  entry.thread_next = l.thread_next;
  entry.thread_id = l.thread_id;
  entry.thread_frame = l.thread_frame;
  entry.frame_of_holder = l.frame_of_holder;
  entry.code = l.frame_code;
  entry.previous = l.frame_previous;
  entry.mark = l.frame_mark;
  entry.mark_value = l.frame_mark_value;
  entry.mark_between = l.mark_between;
  const auto key = static_cast<std::uint32_t>(pid);
  if (bpf_map_update_elem(maps_.pythons, &key, &entry, BPF_ANY) == 0) return {};
  return errno_error("writing where CPython's frames are", errno);
}

StackTables::Sizes StackTables::sizes() const {
  Sizes s;
  std::size_t rows = 0, buckets = 0, texts = 0;
  for (const auto& module : modules_.all()) {
    rows += module->rows.rows.size();
    buckets += module->rows.index.size();
  }
  for (const auto& [pid, p] : processes_) texts += 4 * p.code.size() + 64;
  s.rows = static_cast<std::uint32_t>(std::min(rows + kRoomForRows, kMaxRows));
  s.buckets = static_cast<std::uint32_t>(buckets + kRoomForBuckets);
  s.texts = std::max(kMinTexts, static_cast<std::uint32_t>(texts));
  return s;
}

Status StackTables::connect(const Maps& maps) {
  maps_ = maps;
  texts_ = TRY(MapView::map(maps.texts, maps.sizes.texts, sizeof(sp_text)));
  buckets_ = TRY(MapView::map(maps.buckets, maps.sizes.buckets, sizeof(sp_bucket)));
  rows_ = TRY(MapView::map(maps.rows, maps.sizes.rows, sizeof(sp_row)));
  placed_.clear();
  rows_used_ = buckets_used_ = 0;
  free_texts_ = {{0, maps.sizes.texts}};
  for (auto& [pid, p] : processes_) {
    p.first = p.count = p.room = p.old_room = 0;
    TRY(write(pid, p));
  }
  return {};
}

// The module's rows and buckets are written once and stay; its first bucket, or nothing if it is too big.
std::optional<std::uint32_t> StackTables::place(const ModuleRows& rows) {
  if (const auto it = placed_.find(&rows); it != placed_.end()) return it->second;
  std::optional<std::uint32_t>& first = placed_[&rows];
  const auto n_rows = static_cast<std::uint32_t>(rows.rows.size());
  const auto n_buckets = static_cast<std::uint32_t>(rows.index.size()) - 1;
  if (n_rows > maps_.sizes.rows - rows_used_ || n_buckets > maps_.sizes.buckets - buckets_used_) {
    note("the tables are full: modules that were loaded late are walked by frame pointer");
    return first;
  }
  const std::span<sp_row> to = rows_.as<sp_row>().subspan(rows_used_, n_rows);
  for (std::uint32_t i = 0; i < n_rows; ++i) to[i] = {rows.rows[i].pc, rows.rows[i].cfa, rows.rows[i].rbp};
  const std::span<sp_bucket> buckets = buckets_.as<sp_bucket>().subspan(buckets_used_, n_buckets);
  for (std::uint32_t i = 0; i < n_buckets; ++i) {
    buckets[i] = {rows_used_ + rows.index[i], rows_used_ + rows.index[i + 1]};
  }
  first = buckets_used_;
  rows_used_ += n_rows;
  buckets_used_ += n_buckets;
  return first;
}

std::optional<std::uint32_t> StackTables::take_texts(std::uint32_t count) {
  for (auto& [first, room] : free_texts_) {
    if (room < count) continue;
    const std::uint32_t taken = first;
    first += count;
    room -= count;
    return taken;
  }
  return std::nullopt;
}

void StackTables::give_texts(std::uint32_t first, std::uint32_t count) {
  if (count != 0) free_texts_.push_back({first, count});
}

Status StackTables::write(pid_t pid, Process& p) {
  // What the kernel side may be reading just now is left alone until the write after this one.
  const auto count = static_cast<std::uint32_t>(p.code.size());
  std::uint32_t room = std::max(p.old_room, count);
  std::optional<std::uint32_t> first;
  if (p.old_room >= count && p.old_room != 0) {
    first = p.old_first;
  } else {
    give_texts(p.old_first, p.old_room);
    room = count + count / 4 + 16;  // code grows: the same place shall do for the next writes
    first = take_texts(room);
  }
  if (!first) return Error{"the table of mappings is full: stacks of late processes are incomplete", "", {}};
  const std::span<sp_text> to = texts_.as<sp_text>().subspan(*first, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const CodeRange& range = p.code[i];
    to[i] = {range.start, range.end, range.bias, 0, 0};
    if (range.managed) to[i].flags |= SP_TEXT_MANAGED;
    if (range.rows == nullptr) continue;
    if (const auto bucket = place(*range.rows)) {
      to[i].bucket = *bucket;
      to[i].flags |= SP_TEXT_ROWS;
      if (range.rows->leaves_only) to[i].flags |= SP_TEXT_LEAVES;
    }
  }
  sp_space space{*first, count, p.hint, p.shared_off, 0, ++tag_};
  if (p.switches) space.flags |= SP_SPACE_SWITCHES;
  if (p.python && maps_.pythons >= 0) TRY(write_python(pid, *p.python));
  const auto key = static_cast<std::uint32_t>(pid);
  if (bpf_map_update_elem(maps_.spaces, &key, &space, BPF_ANY) != 0) {
    return errno_error("writing the stack walker's tables", errno);
  }
  p.old_first = std::exchange(p.first, *first);
  p.old_room = std::exchange(p.room, room);
  p.count = count;
  return {};
}

std::span<const CodeRange> StackTables::code(pid_t pid) const {
  const auto it = processes_.find(pid);
  if (it == processes_.end()) return {};
  return it->second.code;
}

void StackTables::changed(pid_t pid) {
  const auto it = processes_.find(pid);
  if (it == processes_.end()) return;
  it->second.changed = true;
  it->second.python.reset();
}

void StackTables::refresh(Time now, const sp_shared& shared) {
  if (maps_.spaces < 0 || now - last_scan_ < kShortestGap) return;
  const std::uint64_t lost_way = __atomic_load_n(&shared.walks_unmapped, __ATOMIC_RELAXED) +
                                 __atomic_load_n(&shared.walks[SP_END_BROKEN], __ATOMIC_RELAXED);
  const bool all = lost_way != lost_way_ && now - last_scan_ >= gap_;
  bool found = false;
  bool looked = false;
  for (auto& [pid, p] : processes_) {
    if (!all && !p.changed) continue;
    p.changed = false;
    looked = true;
    const std::vector<CodeRange> before = p.code;
    if (!scan(pid, p).ok() || same_code(before, p.code)) continue;
    found = true;
    if (const Status s = write(pid, p); !s.ok()) note(s.error().what);
  }
  if (!looked) return;
  last_scan_ = now;
  if (!all) return;
  lost_way_ = lost_way;
  gap_ = found ? kShortestGap : std::min(std::max(gap_ * 2, kShortestGap), kLongestGap);
}

std::string StackTables::summary() const {
  std::size_t modules = 0, bytes = maps_.sizes.texts * sizeof(sp_text);
  for (const auto& module : modules_.all()) {
    modules += !module->rows.rows.empty();
    bytes += memory_bytes(module->rows);
  }
  return fmt::format("by tables of {} rows from {} modules, {:.1f} MB", modules_.rows(), modules,
                     static_cast<double>(bytes) / 1e6);
}

void StackTables::write_capabilities(RecordingWriter& writer) const {
  for (const std::string& text : notes_) writer.add(rows::Capability{"stacks.user", true, text});
  for (const auto& module : modules_.all()) {
    if (!module->why_not.empty()) {
      writer.add(rows::Capability{"stacks.user", true,
                                  fmt::format("{}: followed by frame pointer: {}", module->path, module->why_not)});
    }
  }
}

}  // namespace srvprof
