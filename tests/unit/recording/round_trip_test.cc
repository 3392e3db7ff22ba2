// What is written is what is read, for every table and the oddest values.
#include <limits>
#include <type_traits>

#include "support.h"

namespace srvprof {
namespace {

using test::Random;

void expect_same(const std::vector<AnyRow>& want, const std::vector<AnyRow>& got) {
  ASSERT_EQ(want.size(), got.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE(test::same(want[i], got[i])) << "row " << i << "\n"
                                             << test::text_of(want[i]) << "\n"
                                             << test::text_of(got[i]);
  }
}

std::string recording_of(const std::vector<AnyRow>& rows) {
  return test::recording_of([&](RecordingWriter& w) {
    for (const AnyRow& row : rows) test::add(w, row);
  });
}

class EveryTable : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryTable, RandomRowsComeBack) {
  for (const std::size_t n : {1u, 2u, 700u}) {
    Random random(n * 1000 + GetParam());
    std::vector<AnyRow> want;
    for (std::size_t i = 0; i < n; ++i) {
      want.push_back(test::random_row(random, test::nth_table(GetParam())));
      ASSERT_EQ(want.back().index(), GetParam());
    }
    expect_same(want, test::rows_of(recording_of(want)));
  }
}

TEST_P(EveryTable, DefaultRowComesBack) {
  std::vector<AnyRow> want(1);
  with_row_type(test::nth_table(GetParam()),
                [&]<class Row>(std::type_identity<Row>) { want[0].emplace<Row>(); });
  expect_same(want, test::rows_of(recording_of(want)));
}

INSTANTIATE_TEST_SUITE_P(Rows, EveryTable, ::testing::Range(std::size_t{0}, kTableCount),
                         [](const auto& p) { return std::string(kTableNames[p.param]); });

TEST(RoundTrip, ExtremesFollowingEachOther) {
  std::vector<AnyRow> want;
  for (const std::int64_t t : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                               std::numeric_limits<std::int64_t>::max(), std::int64_t{-1},
                               std::numeric_limits<std::int64_t>::min()}) {
    rows::Load row;
    row.t_start = Time(Duration(t));
    row.exit_status = static_cast<std::int32_t>(t);
    want.emplace_back(row);
    row.exit_status = std::numeric_limits<std::int32_t>::min();
    want.emplace_back(row);
  }
  expect_same(want, test::rows_of(recording_of(want)));
}

TEST(RoundTrip, ManyChunksKeepTheOrder) {
  constexpr std::uint32_t kRows = 140'000;
  const std::string bytes = test::recording_of([](RecordingWriter& w) {
    for (std::uint32_t i = 0; i < kRows; ++i) {
      rows::Request r;
      r.t_arrive = time_from_ns(1'000'000'000u + i * 33'333u);
      r.conn = i;
      r.g = 0xc000000000u + (i % 100) * 0x1a0u;
      r.path = "/items/" + std::to_string(i);
      w.add(r);
      if (i % 3 == 0) w.add(rows::Sample{time_from_ns(i), i, 1, i * 0x9e3779b97f4a7c15u, 7});
    }
  });
  auto reader = test::reader_of(bytes);
  std::uint32_t requests = 0, samples = 0;
  auto report =
      reader->read_all(Overloaded{[&](const rows::Request& r) {
                                    ASSERT_EQ(r.conn, requests);
                                    ASSERT_EQ(r.path, "/items/" + std::to_string(requests));
                                    ASSERT_EQ(r.g, 0xc000000000u + (requests % 100) * 0x1a0u);
                                    ++requests;
                                  },
                                  [&](const rows::Sample& s) {
                                    ASSERT_EQ(s.tid, samples * 3);
                                    ASSERT_EQ(s.kstack, s.tid * 0x9e3779b97f4a7c15u);
                                    ++samples;
                                  }});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(requests, kRows);
  EXPECT_EQ(samples, (kRows + 2) / 3);
  EXPECT_GT(report->chunks, 2u);
  EXPECT_EQ(report->rows, requests + samples);
  EXPECT_FALSE(report->damaged());
  EXPECT_FALSE(report->clean_end) << "no End row was written";
}

TEST(RoundTrip, LargeStringsAndListsPass) {
  const std::string big(4u << 20, 'x');
  const std::vector<std::uint64_t> pcs(kMaxListLength, 0xffffffffffffffffu);
  const std::string bytes = test::recording_of([&](RecordingWriter& w) {
    for (int i = 0; i < 20; ++i) {
      rows::Load load;
      load.output = big;
      w.add(load);
      w.add(rows::Stack{1, 2, pcs});
    }
  });
  auto reader = test::reader_of(bytes);
  int loads = 0, stacks = 0;
  auto report =
      reader->read_all(Overloaded{[&](const rows::Load& l) { loads += l.output == big ? 1 : 0; },
                                  [&](const rows::Stack& s) { stacks += s.pcs == pcs ? 1 : 0; }});
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->damaged()) << report->first_damage;
  EXPECT_EQ(loads, 20);
  EXPECT_EQ(stacks, 20);
}

TEST(RoundTrip, ARepeatedLongStringDoesNotExceedWhatTheReaderHandsOut) {
  const std::string big(1u << 20, 'x');
  const std::string bytes = test::recording_of([&](RecordingWriter& w) {
    for (int i = 0; i < 300; ++i) w.add(rows::Meta{"key", big});
  });
  auto reader = test::reader_of(bytes);
  int rows = 0;
  auto report = reader->read_all([&](const rows::Meta& m) { rows += m.value == big ? 1 : 0; });
  EXPECT_EQ(rows, 300);
  EXPECT_FALSE(report->damaged()) << report->first_damage;
}

TEST(RoundTrip, EndRowMakesACleanEnd) {
  const std::string bytes = test::recording_of([](RecordingWriter& w) {
    w.add(rows::Meta{"mode", "default"});
    w.add(rows::End{time_from_ns(5), "duration"});
  });
  auto report = test::reader_of(bytes)->read_all([](const rows::Meta&) {});
  EXPECT_TRUE(report->clean_end) << "also when nobody asks for End rows";
}

TEST(RoundTrip, AVisitorEndsThePassWithFalse) {
  const std::string bytes = test::recording_of([](RecordingWriter& w) {
    for (int i = 0; i < 10; ++i) w.add(rows::Meta{"k", std::to_string(i)});
    w.add(rows::Clock{});
  });
  auto reader = test::reader_of(bytes);
  int seen = 0;
  auto visit = Overloaded{[&](const rows::Meta&) { return ++seen < 4; },
                          [&](const rows::Clock&) { seen += 100; }};
  ASSERT_TRUE(reader->read_all(visit).ok());
  EXPECT_EQ(seen, 4);
  // And the next pass begins at the start.
  EXPECT_EQ(reader->read_table<rows::Meta>()->size(), 10u);
}

}  // namespace
}  // namespace srvprof
