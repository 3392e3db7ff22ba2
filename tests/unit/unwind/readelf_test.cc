// The rows of real binaries against binutils' reading of the same section.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "unwind/eh_frame.h"

namespace srvprof {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

struct Checked {
  std::size_t rows = 0, same = 0, expressions = 0;
  std::string first_difference;
};

// "rsp+16" or "rbp+16" in the words of UnwindRow::cfa; 0 for what is not held.
int cfa_of(const std::string& text) {
  const bool rsp = text.rfind("rsp+", 0) == 0, rbp = text.rfind("rbp+", 0) == 0;
  if (!rsp && !rbp) return 0;
  const long bytes = std::strtol(text.c_str() + 4, nullptr, 10);
  if (bytes % 8 != 0 || bytes / 8 > kRowMax) return 0;
  return static_cast<int>(rsp ? bytes / 8 : -bytes / 8);
}

// "c-16": saved at CFA - 16.
int rbp_of(const std::string& text) {
  if (text.rfind("c", 0) != 0) return text == "u" || text == "s" || text.empty() ? 0 : kRbpLost;
  return static_cast<int>(std::strtol(text.c_str() + 1, nullptr, 10) / 8);
}

void check_line(const ModuleRows& m, const std::vector<std::string>& columns, const std::string& line,
                Checked& out) {
  std::istringstream words(line);
  std::vector<std::string> cells;
  for (std::string w; words >> w;) cells.push_back(w);
  if (cells.size() != columns.size()) return;
  std::string rbp, ra;
  for (std::size_t i = 2; i < cells.size(); ++i) {
    if (columns[i] == "rbp") rbp = cells[i];
    if (columns[i] == "ra") ra = cells[i];
  }
  const std::uint64_t pc = std::strtoull(cells[0].c_str(), nullptr, 16);
  if (cells[1] == "exp" || rbp == "exp" || rbp == "vexp") {
    ++out.expressions;
    return;
  }
  const UnwindRow* row = pc >= m.base ? find_row(m, pc - m.base) : nullptr;
  const int cfa = row == nullptr ? 0 : row->cfa;
  const int want = ra == "u" ? int{kRowEnd} : ra == "c-8" ? cfa_of(cells[1]) : 0;
  ++out.rows;
  if (cfa == want && (cfa == 0 || cfa == kRowEnd || row->rbp == rbp_of(rbp))) {
    ++out.same;
  } else if (out.first_difference.empty()) {
    out.first_difference = line + " but " + std::to_string(cfa) + " " +
                           std::to_string(row == nullptr ? 0 : row->rbp);
  }
}

Checked check(const std::string& path) {
  Checked out;
  auto elf = open_elf(path);
  if (!elf.ok()) return out;
  auto m = read_module_rows(*elf);
  if (!m.ok()) return out;
  const std::string command = std::string(READELF) + " --debug-dump=frames-interp " + path + " 2>/dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char text[512];
  std::vector<std::string> columns;
  bool function = false;
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    const std::string line(text);
    if (line.find("contents of the .debug_frame", 0) != std::string::npos) break;
    if (line.find(" FDE ") != std::string::npos || line.find(" CIE ") != std::string::npos) {
      function = line.find(" FDE ") != std::string::npos;
      columns.clear();
    } else if (line.find("   LOC") == 0) {
      std::istringstream words(line);
      for (std::string w; words >> w;) columns.push_back(w);
    } else if (function && !columns.empty() && line.size() > 20) {
      check_line(*m, columns, line, out);
    }
  }
  ::pclose(pipe);
  return out;
}

class Readelf : public ::testing::TestWithParam<const char*> {};

TEST_P(Readelf, SaysTheSame) {
  std::string path = GetParam();
  if (path == kSelf) path = std::filesystem::read_symlink(path).string();  // readelf has a self of its own
  if (::access(path.c_str(), R_OK) != 0) GTEST_SKIP() << path << " is not here";
  if (::access(READELF, X_OK) != 0) GTEST_SKIP() << "no readelf";
  const Checked c = check(path);
  if (c.rows == 0) GTEST_SKIP() << path << " has no .eh_frame of x86-64";
  EXPECT_EQ(c.same, c.rows) << c.first_difference;
  EXPECT_GT(c.rows, 100u);
  EXPECT_LT(c.expressions, c.rows / 20);
}

// This test itself, a large C library, an interpreter, C++ with exceptions, hand-written assembler.
INSTANTIATE_TEST_SUITE_P(Binaries, Readelf,
                         ::testing::Values(kSelf, "/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3",
                                           "/lib/x86_64-linux-gnu/libstdc++.so.6",
                                           "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                                           "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"));

}  // namespace
}  // namespace srvprof
