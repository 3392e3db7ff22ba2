#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <libelf.h>

#include <algorithm>

#include "base/time.h"
#include "symbolize/demangle.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxRanges = 1'000'000;
constexpr std::size_t kMaxUnits = 100'000;
constexpr int kMaxDepth = 64;         // of nested entries
constexpr int kMaxEntries = 400'000;  // that are looked at for one address
constexpr Duration kMaxTime = std::chrono::seconds(3);

struct ElfEnd {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};
struct DwarfEnd {
  void operator()(Dwarf* dwarf) const { ::dwarf_end(dwarf); }
};

// [begin, end) belongs to the unit whose entry is at `unit`.
struct Range {
  std::uint64_t begin = 0, end = 0;
  Dwarf_Off unit = 0;
};

std::uint32_t number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (::dwarf_attr(&die, name, &attribute) == nullptr) return 0;
  if (::dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX) return 0;
  return static_cast<std::uint32_t>(value);
}

// The linker's name knows namespaces and parameters.
std::string name_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  if (::dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) != nullptr) {
    if (const char* name = ::dwarf_formstring(&attribute)) return demangle(name);
  }
  const char* name = ::dwarf_diename(&die);
  return name != nullptr ? name : "";
}

}  // namespace

class DwarfLines::State {
 public:
  State(Fd fd, std::unique_ptr<Elf, ElfEnd> elf, std::unique_ptr<Dwarf, DwarfEnd> dwarf)
      : fd_(std::move(fd)), elf_(std::move(elf)), dwarf_(std::move(dwarf)) {
    read_ranges();
  }

  std::vector<DwarfCall> at(std::uint64_t vaddr) {
    if (exhausted()) return {};
    const Time begin = MonotonicClock::now();
    auto calls = look_up(vaddr);
    used_ += MonotonicClock::now() - begin;
    return calls;
  }

  bool exhausted() const { return used_ > kMaxTime; }

 private:
  void read_ranges() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Dwarf_Die die, sub;
    for (std::size_t n = 0; n < kMaxUnits; ++n) {
      if (::dwarf_get_units(dwarf_.get(), unit, &unit, &version, &type, &die, &sub) != 0) break;
      if (type != DW_UT_compile) continue;
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (std::ptrdiff_t at = 0; ranges_.size() < kMaxRanges;) {
        at = ::dwarf_ranges(&die, at, &base, &begin, &end);
        if (at <= 0) break;
        if (begin < end) ranges_.push_back({begin, end, ::dwarf_dieoffset(&die)});
      }
    }
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

  bool find_unit(std::uint64_t vaddr, Dwarf_Die& unit) const {
    auto it = std::upper_bound(ranges_.begin(), ranges_.end(), vaddr,
                               [](std::uint64_t v, const Range& r) { return v < r.begin; });
    if (it == ranges_.begin() || vaddr >= (--it)->end) return false;
    return ::dwarf_offdie(dwarf_.get(), it->unit, &unit) != nullptr;
  }

  // Puts the functions below `die` that hold `vaddr` behind `chain`, outermost first. True: found.
  bool descend(Dwarf_Die& die, std::uint64_t vaddr, int depth, std::vector<Dwarf_Die>& chain) {
    Dwarf_Die child;
    if (depth > kMaxDepth || ::dwarf_child(&die, &child) != 0) return false;
    do {
      if (--budget_ < 0) return false;
      switch (::dwarf_tag(&child)) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
          if (::dwarf_haspc(&child, vaddr) != 1) break;
          chain.push_back(child);
          descend(child, vaddr, depth + 1, chain);
          return true;
        case DW_TAG_lexical_block:
          if (::dwarf_haspc(&child, vaddr) != 1) break;
          descend(child, vaddr, depth + 1, chain);
          return true;
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
          if (descend(child, vaddr, depth + 1, chain)) return true;
          break;
        default:
          break;
      }
    } while (::dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  std::vector<DwarfCall> look_up(std::uint64_t vaddr) {
    Dwarf_Die unit;
    if (!find_unit(vaddr, unit)) return {};
    DwarfCall here;
    if (Dwarf_Line* line = ::dwarf_getsrc_die(&unit, vaddr)) {
      int number = 0;
      if (const char* file = ::dwarf_linesrc(line, nullptr, nullptr)) here.file = file;
      if (::dwarf_lineno(line, &number) == 0 && number > 0) {
        here.line = static_cast<std::uint32_t>(number);
      }
    }
    std::vector<Dwarf_Die> chain;
    budget_ = kMaxEntries;
    descend(unit, vaddr, 0, chain);
    std::vector<DwarfCall> calls;
    for (auto die = chain.rbegin(); die != chain.rend(); ++die) {
      here.function = name_of(*die);
      calls.push_back(std::move(here));
      here = call_site(unit, *die);
    }
    if (chain.empty() && here.line != 0) calls.push_back(std::move(here));
    return calls;
  }

  static DwarfCall call_site(Dwarf_Die& unit, Dwarf_Die& inlined) {
    DwarfCall call;
    if (::dwarf_tag(&inlined) != DW_TAG_inlined_subroutine) return call;
    call.line = number_of(inlined, DW_AT_call_line);
    Dwarf_Files* files = nullptr;
    std::size_t n = 0;
    const std::uint32_t file = number_of(inlined, DW_AT_call_file);
    if (::dwarf_getsrcfiles(&unit, &files, &n) == 0 && file < n) {
      if (const char* path = ::dwarf_filesrc(files, file, nullptr, nullptr)) call.file = path;
    }
    return call;
  }

  Fd fd_;
  std::unique_ptr<Elf, ElfEnd> elf_;
  std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
  std::vector<Range> ranges_;
  int budget_ = 0;
  Duration used_{};
};

DwarfLines::DwarfLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
DwarfLines::~DwarfLines() = default;

std::vector<DwarfCall> DwarfLines::at(std::uint64_t vaddr) { return state_->at(vaddr); }
bool DwarfLines::exhausted() const { return state_->exhausted(); }

std::unique_ptr<DwarfLines> DwarfLines::open(const ElfFile& elf) {
  if (find_section(elf, ".debug_info") == nullptr || !elf.fd.valid()) return nullptr;
  Fd fd(::fcntl(elf.fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd.valid()) return nullptr;
  // As in elf_file.cc: nothing of a file that may shrink is mapped.
  std::unique_ptr<Elf, ElfEnd> handle(::elf_begin(fd.get(), ELF_C_READ, nullptr));
  if (handle == nullptr) return nullptr;
  std::unique_ptr<Dwarf, DwarfEnd> dwarf(::dwarf_begin_elf(handle.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr) return nullptr;
  return std::unique_ptr<DwarfLines>(new DwarfLines(
      std::make_unique<State>(std::move(fd), std::move(handle), std::move(dwarf))));
}

}  // namespace srvprof
