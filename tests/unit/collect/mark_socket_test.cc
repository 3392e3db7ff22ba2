#include "collect/mark_socket.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
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

// Another user is told whose it is, also where the other end closes before his message was read.
TEST(MarkSocket, RefusesAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Result<MarkSocket> socket = MarkSocket::open(kSelf, 0);
  ASSERT_TRUE(socket.ok()) << socket.error().what;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::setgroups(0, nullptr) != 0 || ::setuid(65534) != 0) ::_exit(99);
      const auto sent = send_mark("theirs", kSelf);
      ::_exit(sent.ok() ? 0 : static_cast<int>(sent.error().kind));
    }
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      socket->poll([](Time, const std::string& name) { ADD_FAILURE() << name << " was taken"; });
      std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
    }
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ErrorKind::kPermission)) << round;
  }
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
