#include "base/result.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"

namespace srvprof {
namespace {

Result<int> half(int v) {
  if (v % 2 != 0) return Error{"halving: odd", "try an even number"};
  return v / 2;
}
Status check(int v) {
  TRY(half(v));
  return {};
}
Result<std::unique_ptr<int>> quarter(int v) {
  const int h = TRY(half(v));
  return std::make_unique<int>(TRY(half(h)));
}

TEST(Result, TryPassesValuesAndErrors) {
  auto ok = quarter(12);
  ASSERT_TRUE(ok.ok());
  EXPECT_EQ(**ok, 3);
  auto bad = quarter(6);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "halving: odd");
  EXPECT_EQ(bad.error().hint, "try an even number");
  EXPECT_EQ(bad.error().kind, ErrorKind::kFailed);
  EXPECT_TRUE(check(2).ok());
  EXPECT_FALSE(check(3).ok());
}

TEST(Result, ErrnoBecomesTextAndKind) {
  const Error missing = errno_error("opening x", ENOENT);
  EXPECT_EQ(missing.what, "opening x: No such file or directory");
  EXPECT_EQ(missing.kind, ErrorKind::kFailed);
  EXPECT_EQ(errno_error("x", EPERM).kind, ErrorKind::kPermission);
  EXPECT_EQ(errno_error("x", EACCES).kind, ErrorKind::kPermission);
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(Fd, ClosesOnceAndMoves) {
  int number = -1;
  {
    Fd a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = a.get();
    ASSERT_TRUE(is_open(number));
    Fd b(std::move(a));
    EXPECT_EQ(b.get(), number);
    Fd c;
    EXPECT_FALSE(c.valid());
    c = std::move(b);
    EXPECT_EQ(c.get(), number);
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, ReleaseGivesOwnershipAway) {
  Fd a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = a.release();
  EXPECT_FALSE(a.valid());
  a.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(Time, NanosecondsAndUnits) {
  const Time t = time_from_ns(1'500'000);
  EXPECT_EQ(to_ns(t), 1'500'000u);
  EXPECT_DOUBLE_EQ(to_ms(t - time_from_ns(500'000)), 1.0);
  EXPECT_DOUBLE_EQ(to_seconds(std::chrono::seconds(2)), 2.0);
  EXPECT_FALSE(known(Time{}));
  EXPECT_TRUE(known(t));
}

TEST(Time, ClocksRun) {
  const Time a = MonotonicClock::now(), b = MonotonicClock::now();
  EXPECT_TRUE(known(a));
  EXPECT_LE(a, b);
  EXPECT_GT(realtime_ns(), 1'600'000'000'000'000'000u) << "after 2020";
}

TEST(Id, ZeroIsNoneAndKindsDoNotMix) {
  EXPECT_FALSE(StringId{});
  EXPECT_TRUE(StringId{3});
  EXPECT_LT(StringId{1}, StringId{2});
  static_assert(!std::is_convertible_v<StringId, StackId>);
}

}  // namespace
}  // namespace srvprof
