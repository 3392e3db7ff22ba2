#include "render/xml.h"

#include "base/escape.h"

namespace srvprof {

std::string xml_of_escaped(std::string_view escaped) {
  std::string out;
  out.reserve(escaped.size());
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const std::string_view three = escaped.substr(i, 3);
    switch (escaped[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\xef':
        if (three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {
          out += three == "\xef\xbf\xbe" ? "\\xef\\xbf\\xbe" : "\\xef\\xbf\\xbf";
          i += 2;
          break;
        }
        [[fallthrough]];
      default: out += escaped[i];
    }
  }
  return out;
}

std::string xml_text(std::string_view raw) { return xml_of_escaped(escape_text(raw)); }

}  // namespace srvprof
