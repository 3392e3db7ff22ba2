// Cut and flipped inputs: whatever they are, the importers neither crash nor yield figures out of
// their ranges, and refusals have words. The seed is fixed; the sanitizer build makes it sharp.
#include <gtest/gtest.h>

#include <random>

#include "dump.h"

namespace srvprof {
namespace {

bool printable(std::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

void expect_in_range(const std::optional<Figure>& f) {
  if (!f) return;
  EXPECT_GE(f->value.count(), 0);
  EXPECT_GE(f->resolution.count(), 1);
}

void expect_in_range(const LatencySummary& s) {
  for (const auto& f : {s.min, s.mean, s.stddev, s.max}) expect_in_range(f);
  double before = -1;
  for (const ClientPercentile& p : s.percentiles) {
    EXPECT_GT(p.percent, before);
    EXPECT_LE(p.percent, 100);
    before = p.percent;
    expect_in_range(p.latency);
  }
}

void expect_sane(const ClientRun& run) {
  expect_in_range(run.latency);
  if (run.as_sent) expect_in_range(*run.as_sent);
  EXPECT_TRUE(!run.duration || run.duration->count() >= 0);
  EXPECT_FALSE(run.tool.empty());
  EXPECT_EQ(run.samples.empty() || run.time_base != TimeBase::kNone, true);
  Duration before{0};
  for (const ClientSample& s : run.samples) {
    EXPECT_GE(s.start, before);
    before = s.start;
    EXPECT_TRUE(s.latency.count() >= 0 || (s.failed && s.latency == kNotTold));
    EXPECT_LT(s.path, run.paths.size());
    EXPECT_TRUE(s.status == 0 || (s.status >= 1 && s.status <= 999));
  }
  const ClientCounts& c = run.counts;
  if (c.requests && c.answered && c.unanswered) {
    EXPECT_EQ(*c.requests, *c.answered + *c.unanswered);
  }
  EXPECT_LE(c.errors.size(), kMaxErrorTexts);
  for (const ErrorCount& e : c.errors) EXPECT_LE(e.text.size(), kMaxErrorText);
}

void expect_handled(const std::string& text, const std::string& name) {
  const Result<ClientRun> run = import_run(text, name);
  if (run.ok()) {
    expect_sane(*run);
    return;
  }
  EXPECT_EQ(run.error().what.find("reading "), 0u);
  EXPECT_TRUE(printable(run.error().what)) << run.error().what;
  EXPECT_LT(run.error().what.size(), 400u);
}

std::string flipped(std::string text, std::mt19937& random) {
  // Characters that these formats are made of hit more than random bytes.
  constexpr std::string_view kLikely = "0129.,:-\"{}[]%eE \n\t/\\k";
  const std::size_t flips = 1 + random() % 4;
  for (std::size_t i = 0; i < flips && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text[at] = kLikely[random() % kLikely.size()]; break;
      case 2: text.erase(at, 1 + random() % 20); break;
      default: text.insert(at, 1 + random() % 30, kLikely[random() % kLikely.size()]); break;
    }
  }
  return text;
}

// Two megabytes read in all, whatever the size: it takes well below a second.
std::size_t rounds_for(const std::string& text) {
  return std::clamp<std::size_t>(2'000'000 / std::max<std::size_t>(1, text.size()), 20, 500);
}

class Mutation : public testing::TestWithParam<std::string> {};

TEST_P(Mutation, CutAnywhere) {
  const std::string text = read_sample(GetParam());
  const std::size_t step = std::max<std::size_t>(1, text.size() / rounds_for(text));
  for (std::size_t n = 0; n < text.size(); n += step) expect_handled(text.substr(0, n), GetParam());
}

TEST_P(Mutation, FlippedBytes) {
  const std::string text = read_sample(GetParam());
  std::mt19937 random(12345);
  const std::size_t rounds = rounds_for(text);
  for (std::size_t i = 0; i < rounds; ++i) expect_handled(flipped(text, random), GetParam());
}

// Every importer on every sample: what is not its format is refused or read, never a crash.
TEST_P(Mutation, ReadByEveryImporter) {
  const std::string text = read_sample(GetParam());
  for (const LoadFormat& format : load_formats()) {
    const Result<ClientRun> run = format.import(text);
    if (run.ok()) expect_sane(*run);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Samples, Mutation, testing::ValuesIn(sample_names()), test_name);

}  // namespace
}  // namespace srvprof
