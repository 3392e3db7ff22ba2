// One flame graph as an <svg> element with its own script, for a file or for a page.
#pragma once

#include <string>
#include <string_view>

#include "analyze/report.h"

namespace srvprof {

// `id`: letters and digits, different for each graph of a page. Interactive without any network: a
// click zooms, "reset" returns, the search box marks frames. The state is in the URL's fragment
// ("#x=12&s=term"; with "<id>:" in front on a page), so that a view can be shared.
std::string flame_svg(const FlameData& flame, std::string_view id);

// The script, which expects the variable ID.
std::string_view flame_script();

}  // namespace srvprof
