// Hostile text in SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace srvprof {

// For text and attribute values: control characters and what is no UTF-8 become \xNN
// (base/escape.h), the characters of the markup become entities, and U+FFFE and U+FFFF, which are
// UTF-8 but not XML (one of them would make a whole SVG unreadable), become \xNN as well.
std::string xml_text(std::string_view raw);

// The same for text that escape_text has been through already.
std::string xml_of_escaped(std::string_view escaped);

}  // namespace srvprof
