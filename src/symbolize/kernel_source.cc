// Kernel addresses, by the kernel's list of its own functions. It is read at the first question:
// when srvprof's BPF programs are loaded, they are in it.
#include <optional>

#include "symbolize/kallsyms.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxText = std::size_t{128} << 20;

Result<SymbolTable> read_kernel_symbols(const ProcFs& fs) {
  const Fd fd = TRY(open_kallsyms(fs));
  const std::string text = TRY(read_all(fd, kMaxText));
  return parse_kallsyms(text);
}

class KernelSource final : public SymbolSource {
 public:
  explicit KernelSource(const TargetView& target) : target_(target) {}

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    if (!question.kernel) return false;
    if (!table_) table_.emplace(read_kernel_symbols(target_.fs));
    if (!table_->ok()) return false;
    const SymbolTable& table = **table_;
    const Symbol* symbol = find_symbol(table, question.pc);
    if (symbol == nullptr) return false;
    std::string name(symbol_name(table, *symbol));
    ResolvedFrame frame;
    frame.module = "[kernel]";
    if (const auto blank = name.find_first_of(" \t"); blank != std::string::npos) {
      frame.module = name.substr(blank + 1);
      name.resize(blank);
    }
    frame.function = std::move(name);
    frame.module_offset = question.pc;
    frame.source = kKernelSource;
    frames.push_back(std::move(frame));
    return true;
  }

  std::vector<std::string> notes() const override {
    if (!table_ || table_->ok()) return {};
    return {table_->error().what};
  }

 private:
  const TargetView& target_;
  std::optional<Result<SymbolTable>> table_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_kernel_source(const TargetView& target) {
  return std::make_unique<KernelSource>(target);
}

}  // namespace srvprof
