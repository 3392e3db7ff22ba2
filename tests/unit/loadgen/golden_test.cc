// What is read from each real output, against tests/golden/loadgen. After a change that is meant:
// SRVPROF_UPDATE_GOLDEN=1 loadgen_test --gtest_filter='*Golden*', then read the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "dump.h"

namespace srvprof {
namespace {

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, SampleReadsAsBefore) {
  const std::string path = fmt::format(SRVPROF_FIXTURES "/../golden/loadgen/{}.golden", GetParam());
  const Result<ClientRun> run = import_run(read_sample(GetParam()), GetParam());
  const std::string text =
      run.ok() ? dump_run(*run)
               : fmt::format("refused: {}\nhint: {}\n", run.error().what, run.error().hint);
  if (std::getenv("SRVPROF_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(read_text(path), text);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden, testing::ValuesIn(sample_names()), test_name);

}  // namespace
}  // namespace srvprof
