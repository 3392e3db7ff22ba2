// Names that a target has chosen: demangled, and escaped for terminals and pages.
#include "base/escape.h"
#include "fuzz.h"
#include "render/xml.h"
#include "symbolize/demangle.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  const std::string_view text = fuzz::text_of(input);
  fuzz::require(demangle(text).size() <= (std::size_t{32} << 20));
  const std::string escaped = escape_text(text);
  for (const char c : escaped) fuzz::require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  fuzz::require(unescape_text(escaped) == text);
  fuzz::require(xml_text(text).find_first_of("<>\"'") == std::string::npos);
}
