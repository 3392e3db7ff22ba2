// Functions of CPython. A frame of the interpreter's loop stands for a run of them: the stack walker tells each
// as a frame of its own at the same address, whose hint is the code object (bpf/unwind.h).
#include <optional>

#include "symbolize/python_code.h"
#include "symbolize/source.h"

namespace srvprof {
namespace {

constexpr std::string_view kInterpreted = "[python]";

class PythonSource final : public SymbolSource {
 public:
  explicit PythonSource(const TargetView& target) : target_(target) { PythonSource::refresh(); }

  // The library may be loaded later.
  void refresh() override {
    if (code_ || !note_.empty()) return;
    auto found = find_python(target_.fs, target_.process.pid, target_.root, target_.maps);
    if (!found.ok()) {
      note_ = found.error().what;
    } else if (*found) {
      python_ = **found;
      code_.emplace(python_.layout, memory_of(target_.process.pid));
    }
  }

  void learn(std::uint64_t hint) override {
    if (code_) code_->function(hint);
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const bool loop = question.pc >= python_.eval_begin && question.pc < python_.eval_end;
    if (!code_ || question.kernel || question.mapping == nullptr || !loop) return false;
    if (question.hint == 0) return false;
    const ScriptFunction* function = code_->last_function(question.hint);
    if (function == nullptr) function = code_->function(question.hint);
    if (function == nullptr) return false;
    ResolvedFrame frame;
    frame.function = function->name.empty() ? std::string(kUnnamedFunction) : function->name;
    frame.file = function->file;
    frame.line = function->line;
    frame.module = kInterpreted;
    frame.module_offset = file_offset(*question.mapping, question.pc);
    frame.by_hint = true;
    frame.source = kPythonSource;
    frames.push_back(std::move(frame));
    return true;
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>{} : std::vector<std::string>{note_};
  }

 private:
  const TargetView& target_;
  PythonProcess python_;
  std::optional<PythonCode> code_;
  std::string note_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_python_source(const TargetView& target) {
  return std::make_unique<PythonSource>(target);
}

}  // namespace srvprof
