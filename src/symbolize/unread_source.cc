// Runtimes whose functions no source reads: names nothing, but says so, and what would help. Without this,
// a stack of interpreter functions would look like all that there was to see.
#include <algorithm>

#include "symbolize/source.h"

namespace srvprof {
namespace {

class UnreadSource final : public SymbolSource {
 public:
  explicit UnreadSource(const TargetView& target) : target_(target) {}

  bool resolve(const Question& question, std::vector<ResolvedFrame>&) override {
    const MemoryMapping* mapping = question.mapping;
    if (mapping == nullptr) return false;
    if (mapping->exec && mapping->kind == MappingKind::kAnonymous && !java_) {
      java_ = std::any_of(target_.maps.begin(), target_.maps.end(), [](const MemoryMapping& m) {
        return m.path.ends_with("/libjvm.so");
      });
    }
    return false;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (java_) {
      notes.push_back("compiled code of Java has names only where the JVM lists it: --jvm-perf-map asks it to");
    }
    return notes;
  }

 private:
  const TargetView& target_;
  bool java_ = false;
};

}  // namespace

std::unique_ptr<SymbolSource> make_unread_source(const TargetView& target) {
  return std::make_unique<UnreadSource>(target);
}

}  // namespace srvprof
