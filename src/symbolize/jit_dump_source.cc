// JIT code of runtimes that write a jitdump. They map a page of it, which is how others find it; so it is
// opened as what is mapped, whatever lies at its path. Its owner must be the target's user.
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/time.h"
#include "symbolize/jit_dump.h"
#include "symbolize/perf_map.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{512} << 20;
constexpr Duration kReadAgainAfter = std::chrono::seconds(2);

class JitDumpSource final : public SymbolSource {
 public:
  explicit JitDumpSource(const TargetView& target) : target_(target) { JitDumpSource::refresh(); }

  void refresh() override {
    last_try_ = {};
    if (file_.valid() || !note_.empty()) return;
    const std::string name = fmt::format("/jit-{}.dump", target_.process.ns_pid);
    for (const MemoryMapping& mapping : target_.maps) {
      if (mapping.kind == MappingKind::kFile && mapping.path.ends_with(name)) return open(mapping);
    }
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (!file_.valid() || mapping == nullptr || !mapping->exec || mapping->kind == MappingKind::kFile ||
        mapping->kind == MappingKind::kVdso) {
      return false;
    }
    const Symbol* symbol = find_jit_symbol(dump_.table, question.pc);
    if (symbol == nullptr && read_again()) symbol = find_jit_symbol(dump_.table, question.pc);
    if (symbol == nullptr) return false;
    ResolvedFrame frame;
    frame.function = symbol_name(dump_.table, *symbol);
    frame.module = "[jit]";
    frame.module_offset = question.pc - mapping->start;
    frame.source = kJitDumpSource;
    const JitLine* line = find_jit_line(dump_, symbol->vaddr, symbol->vaddr + symbol->size, question.pc);
    if (line != nullptr) {
      frame.file = dump_.files.c_str() + line->file;
      frame.line = line->line;
    }
    frames.push_back(std::move(frame));
    return true;
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>{} : std::vector<std::string>{note_};
  }

 private:
  void open(const MemoryMapping& mapping) {
    auto file = open_mapped_file(target_.fs, target_.process.pid, target_.root, mapping);
    struct stat st {};
    if (!file.ok()) {
      note_ = file.error().what;
    } else if (::fstat(file->get(), &st) != 0 || st.st_uid != target_.process.uid) {
      note_ = fmt::format("jitdump of the target: owned by uid {}, not by the target's {}", st.st_uid,
                          target_.process.uid);
    } else {
      file_ = std::move(*file);
    }
  }

  // True if there is more of it than the last time.
  bool read_again() {
    const Time now = MonotonicClock::now();
    if (known(last_try_) && now - last_try_ < kReadAgainAfter) return false;
    last_try_ = now;
    struct stat st {};
    if (::fstat(file_.get(), &st) != 0 || st.st_size == size_) return false;
    const auto bytes = read_all(file_, kMaxBytes);
    if (!bytes.ok()) {
      note_ = "jitdump of the target: " + bytes.error().what;
      return false;
    }
    size_ = st.st_size;
    dump_ = parse_jit_dump(*bytes, static_cast<std::uint32_t>(target_.process.ns_pid));
    return true;
  }

  const TargetView& target_;
  Fd file_;
  off_t size_ = 0;
  Time last_try_;
  JitDump dump_;
  std::string note_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_jit_dump_source(const TargetView& target) {
  return std::make_unique<JitDumpSource>(target);
}

}  // namespace srvprof
