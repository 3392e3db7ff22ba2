// Names of Rust functions in the "v0" form (_R...), which says types and generic arguments.
// Format: https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace srvprof {

// As programmers write it, without the hashes that tell crates apart: "<core::fmt::Alignment as
// core::fmt::Debug>::fmt". Nothing for another or a malformed name, and for one that would become longer than
// some thousand characters or takes too many steps (back references repeat earlier parts).
std::optional<std::string> demangle_rust_v0(std::string_view name);

}  // namespace srvprof
