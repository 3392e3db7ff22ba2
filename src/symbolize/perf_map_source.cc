// JIT code of runtimes that write a perf map. The file lies in a directory that everybody may write
// to, so target/open.h looks at its owner.
#include <sys/stat.h>

#include "base/time.h"
#include "symbolize/perf_map.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxText = std::size_t{256} << 20;
constexpr Duration kReadAgainAfter = std::chrono::seconds(1);

class PerfMapSource final : public SymbolSource {
 public:
  explicit PerfMapSource(const TargetView& target) : target_(target) {}

  void refresh() override { last_try_ = {}; }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (mapping == nullptr || !mapping->exec || mapping->kind == MappingKind::kFile ||
        mapping->kind == MappingKind::kVdso) {
      return false;
    }
    const Symbol* symbol = find_jit_symbol(table_, question.pc);
    if (symbol == nullptr && read_again()) symbol = find_jit_symbol(table_, question.pc);
    if (symbol == nullptr) return false;
    ResolvedFrame frame;
    frame.function = symbol_name(table_, *symbol);
    frame.module = "[jit]";
    frame.module_offset = question.pc - mapping->start;
    frame.source = kPerfMapSource;
    frames.push_back(std::move(frame));
    return true;
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>{} : std::vector<std::string>{note_};
  }

 private:
  // True if there is new text since the last time.
  bool read_again() {
    const Time now = MonotonicClock::now();
    if (known(last_try_) && now - last_try_ < kReadAgainAfter) return false;
    last_try_ = now;
    if (!file_.valid()) {
      auto file = open_perf_map(target_.root, target_.process.ns_pid, target_.process.uid);
      if (!file.ok()) {
        // Most processes have none; only one that we refuse is worth a word.
        if (file.error().kind == ErrorKind::kPermission) note_ = file.error().what;
        return false;
      }
      file_ = std::move(*file);
    }
    struct stat st {};
    if (::fstat(file_.get(), &st) != 0 || st.st_size == size_) return false;
    const auto text = read_all(file_, kMaxText);
    if (!text.ok()) {
      note_ = "perf map of the target: " + text.error().what;
      return false;
    }
    size_ = st.st_size;
    table_ = parse_perf_map(*text);
    return true;
  }

  const TargetView& target_;
  Fd file_;
  off_t size_ = 0;
  Time last_try_;
  SymbolTable table_;
  std::string note_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_perf_map_source(const TargetView& target) {
  return std::make_unique<PerfMapSource>(target);
}

}  // namespace srvprof
