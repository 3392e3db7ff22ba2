// One value of the text form: how it is printed and read. Internal to text.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace srvprof {

// Appends the value as it stands after '='.
void print_value(std::string& out, bool v);
void print_value(std::string& out, std::uint32_t v);
void print_value(std::string& out, std::int32_t v);
void print_value(std::string& out, std::uint64_t v);
void print_value(std::string& out, Time v);
void print_value(std::string& out, const std::string& v);
void print_value(std::string& out, const std::vector<std::uint64_t>& v);

// `name` of a field whose integers are nanoseconds: they may be written with a unit.
bool takes_time_unit(std::string_view name);

// Reads a value (escapes already decoded) into `out`; "" or why it is refused.
std::string read_value(std::string_view s, bool unit, bool& out);
std::string read_value(std::string_view s, bool unit, std::uint32_t& out);
std::string read_value(std::string_view s, bool unit, std::int32_t& out);
std::string read_value(std::string_view s, bool unit, std::uint64_t& out);
std::string read_value(std::string_view s, bool unit, Time& out);
std::string read_value(std::string_view s, bool unit, std::string& out);
std::string read_value(std::string_view s, bool unit, std::vector<std::uint64_t>& out);

}  // namespace srvprof
