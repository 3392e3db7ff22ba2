#include "unwind/hints.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace srvprof {
namespace {

TEST(Hints, NoneInABinaryWithoutV8) {
  const auto elf = open_elf("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  EXPECT_FALSE(v8_shared_offset(*elf).has_value());
}

TEST(Hints, OffsetOfNode) {
  const char* node = "/usr/bin/node";
  if (::access(node, R_OK) != 0) GTEST_SKIP() << "no " << node;
  const auto elf = open_elf(node);
  ASSERT_TRUE(elf.ok());
  if (find_section(*elf, ".dynsym") == nullptr || elf->size < 50u << 20) GTEST_SKIP() << "V8 lies in a library";
  const auto offset = v8_shared_offset(*elf);
  ASSERT_TRUE(offset.has_value());
  EXPECT_GE(*offset, 16u);  // after the map and the properties
  EXPECT_LE(*offset, 64u);
}

}  // namespace
}  // namespace srvprof
