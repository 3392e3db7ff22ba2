#include "collect/mark_socket.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace srvprof {
namespace {

// Recordings that somebody makes on this machine meanwhile must not get these marks.
const auto kSelf = static_cast<std::uint32_t>(::getpid());

TEST(MarkSocket, TakesAMark) {
  Result<MarkSocket> socket = MarkSocket::open(kSelf, ::geteuid());
  ASSERT_TRUE(socket.ok()) << socket.error().what;
  std::vector<std::string> names;
  Time when;
  std::atomic<bool> done{false};
  std::thread sender([&] {
    const auto sent = send_mark("after-deploy_2.0", kSelf);
    EXPECT_TRUE(sent.ok()) << (sent.ok() ? "" : sent.error().what);
    if (sent.ok()) {
      EXPECT_GE(*sent, 1u);
    }
    done = true;
  });
  const Time begin = MonotonicClock::now();
  while (!done) {
    socket->poll([&](Time t, const std::string& name) {
      when = t;
      names.push_back(name);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  sender.join();
  EXPECT_EQ(names, std::vector<std::string>{"after-deploy_2.0"});
  EXPECT_GE(when, begin);
}

TEST(MarkSocket, NamesArePlain) {
  EXPECT_TRUE(is_mark_name("steady-2"));
  for (const char* name : {"", "two words", "a/b", "\x1b[31m", "a\nb", "caf\xc3\xa9"}) {
    EXPECT_FALSE(is_mark_name(name)) << name;
    EXPECT_FALSE(send_mark(name, kSelf).ok()) << name;
  }
  EXPECT_FALSE(is_mark_name(std::string(kMostMarkName + 1, 'a')));
}

TEST(MarkSocket, OnlyOneOfAProcess) {
  const Result<MarkSocket> first = MarkSocket::open(kSelf, ::geteuid());
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(MarkSocket::open(kSelf, ::geteuid()).ok());
}

}  // namespace
}  // namespace srvprof
