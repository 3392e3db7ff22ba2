// Every recording in tests/fixtures/ledger says in its comments which tiles it has to give.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/parse.h"
#include "trace_text.h"

namespace srvprof {
namespace {

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SRVPROF_FIXTURES "/ledger")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

struct Expectation {
  std::uint32_t request = 0;
  std::string tiles;
};

// "# model: event loop", and "# tiles 2" followed by "#   ..." lines.
struct Expected {
  std::string model;
  std::vector<Expectation> requests;
};

Expected expected_of(std::string_view text) {
  Expected out;
  bool in_tiles = false;
  for (std::string_view line; next_line(text, line);) {
    if (line.starts_with("# model: ")) out.model = line.substr(9);
    if (line.starts_with("# tiles ")) {
      out.requests.push_back({parse_number<std::uint32_t>(line.substr(8)).value_or(0), ""});
      in_tiles = true;
    } else if (in_tiles && line.starts_with("#   ")) {
      out.requests.back().tiles += std::string(line.substr(4)) + "\n";
    } else {
      in_tiles = false;
    }
  }
  return out;
}

class LedgerFixture : public testing::TestWithParam<std::string> {};

TEST_P(LedgerFixture, GivesItsTiles) {
  const std::string text = read_file(SRVPROF_FIXTURES "/ledger/" + GetParam() + ".txt");
  const Expected expected = expected_of(text);
  ASSERT_FALSE(expected.requests.empty());
  const Trace trace = trace_of(text);
  EXPECT_TRUE(trace.read_damage.empty());
  EXPECT_EQ(std::string(name_of(trace.model)), expected.model);
  for (const Expectation& e : expected.requests) {
    ASSERT_GE(e.request, 1U);
    ASSERT_LE(e.request, trace.requests.size());
    EXPECT_EQ(tiles_text(trace, {e.request}), e.tiles) << "request " << e.request;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, LedgerFixture, testing::ValuesIn(fixture_names()),
                         [](const auto& i) {
                           std::string name = i.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace srvprof
