// "Did you mean": the known word that is nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace srvprof {

// Edits (insert, delete, replace, swap neighbours) between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, or "" if none is near: at most a third of its letters differ, or `word`
// is its beginning.
std::string closest(std::string_view word, const std::vector<std::string>& known);

}  // namespace srvprof
