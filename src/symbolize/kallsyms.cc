#include "symbolize/kallsyms.h"

#include <limits>
#include <utility>
#include <vector>

#include "base/parse.h"

namespace srvprof {

Result<SymbolTable> parse_kallsyms(std::string_view text) {
  constexpr std::uint64_t kNameBytes = std::uint64_t{64} << 20;
  std::vector<RawSymbol> raw;
  bool any = false;
  std::string_view line;
  while (next_line(text, line)) {
    const auto address = parse_number<std::uint64_t>(next_field(line), 16);
    const std::string_view type = next_field(line);
    if (!address || type.empty() || line.size() < 2) continue;
    any = true;
    const bool function = type == "t" || type == "T" || type == "w" || type == "W";
    if (!function || *address == 0) continue;
    line.remove_prefix(1);
    std::string_view name = line.substr(0, kMaxSymbolName);
    // "name\t[module]": one blank is enough for us.
    raw.push_back({*address, 0, name, static_cast<std::uint8_t>(type == "T" ? 0 : 1)});
  }
  if (raw.empty()) {
    return Error{any ? "reading kernel symbols: the kernel hides their addresses"
                     : "reading kernel symbols: the list is empty",
                 "run as root, or set kernel.kptr_restrict to 1 and give CAP_SYSLOG",
                 ErrorKind::kPermission};
  }
  return make_symbol_table(std::move(raw), std::numeric_limits<std::uint64_t>::max(), kNameBytes);
}

}  // namespace srvprof
