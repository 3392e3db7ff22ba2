#include "unwind/go_rows.h"

#include <algorithm>
#include <span>

#include "base/bytes.h"
#include "elf/gopclntab.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kGrowthTable = 16;  // in a function's record: where its table of stack growth is
constexpr std::size_t kMaxSteps = 1u << 16;  // of one function
constexpr std::size_t kMaxStepsInAll = 1u << 27;  // a binary of 100 MB has about 10 million

class GoRows {
 public:
  GoRows(const GoTable& table, std::size_t max_rows)
      : table_(table),
        bytes_{reinterpret_cast<const std::uint8_t*>(table.bytes.data()), table.bytes.size()},
        max_rows_(max_rows) {}

  std::vector<EhRow> make();

 private:
  // A reader of the table from `offset` on; one of nothing if that is outside.
  ByteReader at(std::uint64_t offset) const {
    return ByteReader(offset < bytes_.size() ? bytes_.subspan(static_cast<std::size_t>(offset))
                                             : std::span<const std::uint8_t>{});
  }
  void add_function(std::uint64_t entry, std::uint64_t end, std::uint64_t record);
  void add(std::uint64_t vaddr, std::int16_t form);

  const GoTable& table_;
  std::span<const std::uint8_t> bytes_;
  std::size_t max_rows_;
  std::size_t steps_ = 0;
  std::vector<EhRow> rows_;
};

void GoRows::add(std::uint64_t vaddr, std::int16_t form) {
  const std::int16_t before = rows_.empty() ? kRowNone : rows_.back().cfa;
  if (form != before && rows_.size() < max_rows_) rows_.push_back({vaddr, form, 0, form == kRowNone});
}

// The table is pairs of "the value changes by" and "for so many bytes of code". It begins with -1; after its
// first pair a change of 0 ends it.
void GoRows::add_function(std::uint64_t entry, std::uint64_t end, std::uint64_t record) {
  const std::uint32_t table = at(record + kGrowthTable).le<std::uint32_t>();
  if (table == 0) return add(entry, kRowNone);
  ByteReader r = at(table_.pc_values + table);
  std::uint64_t pc = entry;
  std::int64_t growth = -1;
  for (std::size_t i = 0; i < kMaxSteps && pc < end; ++i) {
    const std::uint64_t change = r.varint();
    if (!r.ok() || (change == 0 && i != 0)) break;
    const std::uint64_t length = r.varint();
    if (!r.ok() || change > 0xffffffff || length > end - pc) break;
    ++steps_;
    growth += unzigzag(change);
    add(pc, growth == 0 ? kRowLeaf : kRowNone);
    pc += length;
  }
  if (pc < end) add(pc, kRowNone);
}

std::vector<EhRow> GoRows::make() {
  // Entries are pairs of offsets: where a function begins, where its record is. The last has only the first.
  ByteReader r = at(table_.lookup);
  std::uint64_t entry = r.le<std::uint32_t>();
  for (std::uint64_t i = 0; i < table_.functions && rows_.size() < max_rows_ && steps_ < kMaxStepsInAll; ++i) {
    const std::uint64_t record = r.le<std::uint32_t>();
    const std::uint64_t next = r.le<std::uint32_t>();
    if (!r.ok() || next < entry) break;
    add_function(table_.text + entry, table_.text + next, table_.lookup + record);
    entry = next;
  }
  if (!rows_.empty()) add(table_.text + entry, kRowNone);
  return std::move(rows_);
}

}  // namespace

std::vector<EhRow> go_rows(const ElfFile& elf, std::size_t max_rows) {
  const bool go = std::any_of(elf.sections.begin(), elf.sections.end(), [](const ElfSection& s) {
    return s.name == ".gopclntab" || s.name == ".data.rel.ro.gopclntab" || s.name == ".go.buildinfo";
  });
  if (!go) return {};
  const auto table = read_go_table(elf);
  if (!table.ok()) return {};
  return GoRows(*table, max_rows).make();
}

}  // namespace srvprof
