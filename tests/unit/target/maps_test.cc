#include "target/maps.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

namespace srvprof {
namespace {

constexpr const char* kText =
    "00400000-00500000 r--p 00000000 fe:01 77                         /usr/bin/node\n"
    "00500000-00900000 r-xp 00100000 fe:01 77                         /usr/bin/node\n"
    "01000000-01100000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f0000000000-7f0000100000 rwxp 00000000 00:00 0 \n"
    "7f0000100000-7f0000200000 rwxp 00000000 00:00 0                  [anon:v8]\n"
    "7f0000200000-7f0000300000 r-xs 00000000 00:01 9                  /memfd:jit (deleted)\n"
    "7f0000300000-7f0000400000 r-xp 014c4000 fe:01 77                 /usr/bin/node\n"
    "7f0000400000-7f0000500000 r-xp 00000000 fe:01 78                 /tmp/a b\\012c (deleted)\n"
    "7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0                  [stack]\n"
    "7ffe000fe000-7ffe00100000 r-xp 00000000 00:00 0                  [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n";

TEST(Maps, ReadsEveryKind) {
  const auto maps = parse_maps(kText);
  ASSERT_EQ(maps.size(), 11u);
  EXPECT_EQ(maps[1].start, 0x500000u);
  EXPECT_EQ(maps[1].end, 0x900000u);
  EXPECT_EQ(maps[1].offset, 0x100000u);
  EXPECT_TRUE(maps[1].read && maps[1].exec && !maps[1].write && !maps[1].shared);
  EXPECT_EQ(maps[1].device, makedev(0xfe, 1));
  EXPECT_EQ(maps[1].inode, 77u);
  EXPECT_EQ(maps[1].path, "/usr/bin/node");
  EXPECT_EQ(maps[1].kind, MappingKind::kFile);
  EXPECT_EQ(maps[2].kind, MappingKind::kHeap);
  EXPECT_EQ(maps[3].kind, MappingKind::kAnonymous);
  EXPECT_TRUE(maps[3].exec && maps[3].write);
  EXPECT_EQ(maps[4].kind, MappingKind::kAnonymous);
  EXPECT_EQ(maps[5].kind, MappingKind::kAnonymous);
  EXPECT_TRUE(maps[5].deleted && maps[5].shared);
  EXPECT_EQ(maps[7].path, "/tmp/a b\nc");
  EXPECT_TRUE(maps[7].deleted);
  EXPECT_EQ(maps[8].kind, MappingKind::kStack);
  EXPECT_EQ(maps[9].kind, MappingKind::kVdso);
  EXPECT_EQ(maps[10].kind, MappingKind::kVsyscall);
}

TEST(Maps, FindsByAddress) {
  const auto maps = parse_maps(kText);
  EXPECT_EQ(find_mapping(maps, 0x3fffff), nullptr);
  EXPECT_EQ(find_mapping(maps, 0x400000), &maps[0]);
  EXPECT_EQ(find_mapping(maps, 0x4fffff), &maps[0]);
  EXPECT_EQ(find_mapping(maps, 0x500000), &maps[1]);
  EXPECT_EQ(find_mapping(maps, 0x900000), nullptr);
  EXPECT_EQ(find_mapping(maps, ~std::uint64_t{0}), nullptr);
  EXPECT_EQ(find_mapping({}, 1), nullptr);
}

TEST(Maps, OneFileMappedTwiceHasTwoTranslations) {
  const auto maps = parse_maps(kText);
  EXPECT_EQ(file_offset(maps[1], 0x500010), 0x100010u);
  EXPECT_EQ(file_offset(maps[6], 0x7f0000300010), 0x14c4010u);
}

TEST(Maps, MalformedAndOverlappingLinesAreLeftOut) {
  const auto maps = parse_maps(
      "\n\nzz-10 r-xp 0 0:0 0\n"
      "2000-1000 r-xp 00000000 00:00 0\n"
      "1000-2000 r-x\n"
      "1000-2000 r-xp 00000000 00:00\n"
      "5000-6000 r-xp 00000000 00:00 0\n"
      "5800-5900 r-xp 00000000 00:00 0\n"
      "1000-2000 r-xp 00000000 00:00 0 /x");
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(maps[0].path, "/x");
  EXPECT_EQ(maps[1].start, 0x5000u);
}

TEST(Maps, AnyPrefixIsAccepted) {
  const std::string_view whole = kText;
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    for (const auto& m : parse_maps(whole.substr(0, n))) EXPECT_LT(m.start, m.end);
  }
}

}  // namespace
}  // namespace srvprof
