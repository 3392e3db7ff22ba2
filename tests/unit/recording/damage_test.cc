// Cut, flipped, foreign and hostile files: the reader says what is lost and gives the rest.
#include <algorithm>
#include <set>

#include "support.h"

namespace srvprof {
namespace {

using test::chunk_bytes;
using test::dump_of;
using test::file_header;
using test::HandMade;
using test::payload_of;
using test::reader_of;

// Three small chunks of one table; the offset where each ends.
struct Small {
  std::string bytes;
  std::vector<std::size_t> ends;
};
Small small_recording() {
  Small out;
  out.bytes = test::recording_of([&](RecordingWriter& w) {
    out.ends.push_back(w.bytes_written());
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 4; ++k) w.add(rows::Meta{"key" + std::to_string(i), std::to_string(k)});
      EXPECT_TRUE(w.flush().ok());
      out.ends.push_back(w.bytes_written());
    }
  });
  EXPECT_EQ(out.bytes.size(), out.ends.back());
  return out;
}

TEST(Damage, CutAtEveryByteGivesTheWholeChunksBefore) {
  const Small s = small_recording();
  for (std::size_t cut = 0; cut < s.bytes.size(); ++cut) {
    auto reader = reader_of(s.bytes.substr(0, cut));
    ASSERT_EQ(reader.ok(), cut >= s.ends[0]) << cut;
    if (!reader.ok()) continue;
    std::size_t rows = 0;
    auto report = reader->read_all([&](const rows::Meta&) { ++rows; });
    ASSERT_TRUE(report.ok());
    const auto whole = static_cast<std::size_t>(
        std::upper_bound(s.ends.begin(), s.ends.end(), cut) - s.ends.begin() - 1);
    ASSERT_EQ(report->chunks, whole) << cut;
    ASSERT_EQ(rows, whole * 4) << cut;
    ASSERT_EQ(report->truncated_bytes, cut - s.ends[whole]) << cut;
    ASSERT_EQ(report->bad_chunks, 0u) << cut;
    ASSERT_EQ(report->first_damage.empty(), cut == s.ends[whole]) << cut;
  }
}

TEST(Damage, EachFlippedByteLosesItsChunkOnly) {
  const Small s = small_recording();
  const auto whole = dump_of(s.bytes);
  for (std::size_t at = s.ends[0]; at < s.bytes.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string bytes = s.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ mask);
      std::size_t rows = 0;
      auto report = reader_of(bytes)->read_all([&](const rows::Meta&) { ++rows; });
      ASSERT_TRUE(report.ok());
      const bool last = at >= s.ends[2];
      ASSERT_EQ(rows, 8u) << at;
      ASSERT_EQ(report->chunks, 2u) << at;
      ASSERT_EQ(report->bad_chunks, last ? 0u : 1u) << at;
      const std::size_t chunk = at < s.ends[1] ? 0 : at < s.ends[2] ? 1 : 2;
      ASSERT_EQ(report->skipped_bytes + report->truncated_bytes, s.ends[chunk + 1] - s.ends[chunk])
          << at;
      ASSERT_FALSE(report->first_damage.empty());
    }
  }
  EXPECT_FALSE(whole.report.damaged());
}

TEST(Damage, EachFlippedByteOfTheFileHeaderIsRefusedOrHarmless) {
  const Small s = small_recording();
  for (std::size_t at = 0; at < s.ends[0]; ++at) {
    std::string bytes = s.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    const bool minor = at == 10 || at == 11;
    EXPECT_EQ(reader_of(bytes).ok(), minor) << at;
  }
}

TEST(Damage, RandomDamageNeverInventsRows) {
  test::Random random(7);
  const std::string bytes = test::recording_of([&](RecordingWriter& w) {
    for (int i = 0; i < 60; ++i) {
      for (std::size_t k = 0; k < kTableCount; ++k) {
        test::add(w, test::random_row(random, test::nth_table(k)));
      }
      if (i % 10 == 0) {
        EXPECT_TRUE(w.flush().ok());
      }
    }
  });
  const auto lines_of = [](const std::string& text) {
    std::multiset<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      out.insert(text.substr(at, end - at));
      at = end + 1;
    }
    return out;
  };
  const auto all = lines_of(dump_of(bytes).text);
  for (int round = 0; round < 40; ++round) {
    std::string bad = bytes;
    for (std::uint64_t n = test::below(random, 12) + 1; n > 0; --n) {
      const std::size_t at = kFileHeaderBytes + test::below(random, bad.size() - kFileHeaderBytes);
      switch (test::below(random, 3)) {
        case 0: bad[at] = static_cast<char>(bad[at] + 1); break;
        case 1: bad.erase(at, test::below(random, 90)); break;
        default: bad.insert(at, std::string(test::below(random, 90), static_cast<char>(random())));
      }
    }
    const auto some = lines_of(dump_of(bad).text);
    ASSERT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end())) << round;
  }
}

TEST(Damage, GarbageAtTheEndIsCounted) {
  const Small s = small_recording();
  for (const std::string& tail : {std::string("x"), std::string(5000, '\0'),
                                  std::string("\xa5SPc", 4), std::string(3'000'000, '\xa5')}) {
    const auto d = dump_of(s.bytes + tail);
    EXPECT_EQ(d.report.chunks, 3u);
    EXPECT_EQ(d.report.truncated_bytes, tail.size());
  }
}

TEST(Damage, ChunksAfterALongHoleAreFound) {
  const Small s = small_recording();
  for (const std::size_t hole : {std::size_t{1}, std::size_t{1} << 20, (std::size_t{1} << 20) - 19,
                                 std::size_t{3'000'001}}) {
    std::string bytes = s.bytes;
    bytes.insert(s.ends[1], std::string(hole, '\0'));
    const auto d = dump_of(bytes);
    EXPECT_EQ(d.report.chunks, 3u) << hole;
    EXPECT_EQ(d.report.bad_chunks, 1u) << hole;
    EXPECT_EQ(d.report.skipped_bytes, hole);
    EXPECT_EQ(d.report.truncated_bytes, 0u);
  }
}

// Each magic claims a megabyte: a reader without a budget would sum terabytes.
TEST(Damage, AFileOfNothingButMagicsEnds) {
  HandMade big;
  big.table = 1;
  big.rows = 1;
  big.payload = Bytes(100, 1);
  std::string header = chunk_bytes(big).substr(0, kChunkHeaderBytes);
  header[16] = 0, header[17] = 0, header[18] = 0x10, header[19] = 0;  // 1 MiB stored
  std::string bytes = file_header();
  while (bytes.size() < (8u << 20)) bytes += header;
  const auto d = dump_of(bytes);
  EXPECT_EQ(d.report.chunks, 0u);
  EXPECT_EQ(d.report.truncated_bytes, bytes.size() - kFileHeaderBytes);
}

TEST(Hostile, CompressionBombIsNotUnpacked) {
  HandMade bomb;
  bomb.table = 1;
  bomb.rows = 1;
  bomb.payload = Bytes(128u << 20, 0);
  for (const std::uint32_t announced : {0u, 1000u, 64u << 20}) {
    bomb.raw_bytes = announced;
    const auto d = dump_of(file_header() + chunk_bytes(bomb));
    EXPECT_EQ(d.report.chunks, 0u);
    EXPECT_GT(d.report.bad_chunks + d.report.truncated_bytes, 0u);
    EXPECT_EQ(d.text, "srvprof-text 1\n");
  }
}

TEST(Hostile, PayloadShorterThanAnnounced) {
  HandMade c;
  c.table = 1;
  c.rows = 1;
  c.payload = Bytes(10, 0);
  c.raw_bytes = 1000;
  const auto d = dump_of(file_header() + chunk_bytes(c));
  EXPECT_EQ(d.report.bad_chunks, 1u);
  EXPECT_NE(d.report.first_damage.find("shorter"), std::string::npos) << d.report.first_damage;
}

// A chunk of Meta rows with this payload, between two sound chunks.
test::Dump with_payload(std::uint32_t rows, const Bytes& payload, std::uint16_t table = 1) {
  const Small s = small_recording();
  HandMade c;
  c.table = table;
  c.rows = rows;
  c.payload = payload;
  std::string bytes = s.bytes;
  bytes.insert(s.ends[1], chunk_bytes(c));
  return dump_of(bytes);
}

TEST(Hostile, IllFormedPayloadsLoseTheirChunkOnly) {
  Bytes endless(9, 0xff);
  endless.push_back(0x02);
  const std::vector<std::pair<const char*, Bytes>> payloads = {
      {"empty", {}},
      {"no columns", payload_of({}, {})},
      {"index beyond the string table", payload_of({"a"}, {{5, {2}}, {5, {0}}})},
      {"wrong encoding", payload_of({"a"}, {{2, {1}}, {5, {0}}})},
      {"unknown encoding", payload_of({"a"}, {{99, {1}}, {5, {0}}})},
      {"too few values", payload_of({"a"}, {{5, {}}, {5, {0}}})},
      {"too many values", payload_of({"a"}, {{5, {1, 1}}, {5, {0}}})},
      {"varint of 65 bits", payload_of({"a"}, {{5, endless}, {5, {0}}})},
      {"column longer than the payload", {1, 1, 0, 5, 200}},
      {"string table longer than the payload", {1, 100, 0}},
      {"string longer than the table", {1, 2, 1, 90, 5, 1, 0}},
      {"absurd string count", {1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f, 5, 1, 0}},
      {"absurd column count", {0xff, 0xff, 0xff, 0x7f, 1, 0}},
  };
  for (const auto& [what, payload] : payloads) {
    const auto d = with_payload(1, payload);
    EXPECT_EQ(d.report.chunks, 3u) << what;
    EXPECT_EQ(d.report.rows, 12u) << what;
    EXPECT_EQ(d.report.bad_chunks, 1u) << what;
    EXPECT_EQ(d.report.truncated_bytes, 0u) << what;
  }
}

TEST(Hostile, ValuesThatDoNotFitTheirColumn) {
  // Clock: Time, uint64; TaskExit: Time, uint32, uint32; Freeze: Time, bool, ...; Stack: list.
  Bytes beyond32;
  put_varint(beyond32, 1ull << 32);
  Bytes long_list;
  put_varint(long_list, kMaxListLength + 1);
  long_list.resize(long_list.size() + kMaxListLength + 1);
  const std::vector<std::pair<std::uint16_t, Bytes>> cases = {
      {5, payload_of({}, {{4, {0}}, {2, beyond32}})},
      {5, payload_of({}, {{4, {0}}, {5, {0}}})},
      {28, payload_of({}, {{4, {0}}, {1, {2}}})},
      {2, payload_of({}, {{4, {0}}, {7, {1}}})},
      {15, payload_of({}, {{2, {0}}, {2, {0}}, {6, {0x7f, 0}}})},
      {15, payload_of({}, {{2, {0}}, {2, {0}}, {6, long_list}})},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto d = with_payload(1, cases[i].second, cases[i].first);
    EXPECT_EQ(d.report.bad_chunks, 1u) << i;
    EXPECT_EQ(d.report.rows, 12u) << i;
  }
}

TEST(Hostile, RowCountIsBounded) {
  EXPECT_EQ(with_payload(0xffffffffu, payload_of({"a"}, {{5, {1}}})).report.bad_chunks, 1u);
  EXPECT_EQ(with_payload(kMaxChunkRows + 1, payload_of({}, {{5, Bytes(kMaxChunkRows + 1, 0)}}))
                .report.bad_chunks,
            1u);
  EXPECT_EQ(with_payload(1000, payload_of({}, {{5, Bytes(1000, 0)}})).report.bad_chunks, 0u);
}

TEST(Hostile, OneLongStringInEveryRowIsBounded) {
  HandMade c;
  c.table = 1;
  c.rows = kMaxChunkRows;
  c.payload = payload_of({std::string(8u << 20, 'x')}, {{5, Bytes(kMaxChunkRows, 1)}});
  std::uint64_t handed_out = 0;
  auto report = reader_of(file_header() + chunk_bytes(c))->read_all([&](const rows::Meta& m) {
    handed_out += m.key.size();
  });
  EXPECT_LE(handed_out, kMaxStringBytes);
  EXPECT_EQ(report->bad_chunks, 1u);
}

TEST(Versions, NewerMajorIsRefusedAndSaysSo) {
  std::string bytes = small_recording().bytes;
  bytes[8] = 2;
  auto reader = reader_of(bytes);
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().what.find("format 2.0"), std::string::npos) << reader.error().what;
  EXPECT_FALSE(reader.error().hint.empty());
}

TEST(Versions, NewerMinorTablesColumnsAndCodecsAreSkipped) {
  std::string bytes = small_recording().bytes;
  bytes[10] = 9;
  HandMade table;
  table.table = 900;
  table.rows = 3;
  table.payload = Bytes(10, 1);
  HandMade codec;
  codec.table = 1;
  codec.codec = kCodecVersion + 1;
  codec.rows = 3;
  codec.payload = Bytes(10, 1);
  // Meta with a third and a fourth column, the last in an encoding of the future.
  HandMade columns;
  columns.table = 1;
  columns.rows = 2;
  columns.payload =
      payload_of({"k", "v"}, {{5, {1, 0}}, {5, {2, 2}}, {2, {1, 2}}, {77, {1, 2, 3, 4, 5}}});
  const auto d = dump_of(bytes + chunk_bytes(table) + chunk_bytes(codec) + chunk_bytes(columns));
  EXPECT_FALSE(d.report.damaged()) << d.report.first_damage;
  EXPECT_EQ(d.report.unknown_chunks, 2u);
  EXPECT_EQ(d.report.rows, 14u);
  EXPECT_TRUE(d.text.ends_with("meta key=\"k\" value=\"v\"\nmeta value=\"v\"\n")) << d.text;
}

TEST(Versions, ColumnsThatAnOlderWriterLacksKeepTheirDefault) {
  HandMade c;
  c.table = static_cast<std::uint16_t>(Table::kGovernor);
  c.rows = 1;
  c.payload = payload_of({}, {{4, {14}}});
  const auto d = dump_of(file_header() + chunk_bytes(c));
  EXPECT_EQ(d.text, "srvprof-text 1\ngovernor t=7\n") << "one_in stays 1";
}

// Other encodings of the same numbers: a writer may choose.
TEST(Versions, NumbersAreReadInEachEncoding) {
  HandMade c;
  c.table = static_cast<std::uint16_t>(Table::kClock);
  c.rows = 2;
  c.payload = payload_of({}, {{2, {7, 9}}, {4, {14, 4}}});
  const auto d = dump_of(file_header() + chunk_bytes(c));
  EXPECT_EQ(d.text, "srvprof-text 1\nclock t=7 realtime_ns=7\nclock t=9 realtime_ns=9\n");
}

}  // namespace
}  // namespace srvprof
