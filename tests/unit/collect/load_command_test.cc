#include "collect/load_command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

void wait_for_end(LoadCommand& c) {
  for (int i = 0; i < 1000 && c.poll(); ++i) std::this_thread::sleep_for(5ms);
}

// Neither gone nor a zombie.
bool lives(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = stat.rfind(')');
  return at != std::string::npos && at + 2 < stat.size() && stat[at + 2] != 'Z';
}

TEST(LoadCommand, KeepsWhatItPrintsAndItsStatus) {
  auto c = LoadCommand::start({"sh", "-c", "echo out; echo err >&2; exit 3"}, ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  wait_for_end(*c);
  EXPECT_FALSE(c->poll());
  EXPECT_EQ(c->exit_status(), 3);
  EXPECT_EQ(c->output(), "out\nerr\n");
  EXPECT_GE(c->ended(), c->started());
  EXPECT_EQ(c->take_new_output(), "out\nerr\n");
  EXPECT_EQ(c->take_new_output(), "");
}

TEST(LoadCommand, ACommandThatIsNotThereIsAnErrorAtOnce) {
  auto c = LoadCommand::start({"/nonexistent/load"}, ::getuid(), ::getgid());
  ASSERT_FALSE(c.ok());
  EXPECT_NE(c.error().what.find("/nonexistent/load"), std::string::npos);
  EXPECT_FALSE(c.error().hint.empty());
}

TEST(LoadCommand, IsLookedForBeforeAnythingIsAttached) {
  EXPECT_TRUE(check_load_command("sh").ok());
  EXPECT_TRUE(check_load_command("/bin/sh").ok());
  EXPECT_FALSE(check_load_command("/etc/passwd").ok());  // nobody may run it
  const Status none = check_load_command("no-such-load-generator");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kFailed);
  EXPECT_NE(none.error().what.find("'no-such-load-generator'"), std::string::npos);
}

TEST(LoadCommand, LongOutputIsBounded) {
  auto c = LoadCommand::start({"sh", "-c", "head -c 12000000 /dev/zero; printf END"}, ::getuid(),
                              ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  wait_for_end(*c);
  EXPECT_LE(c->output().size(), 2 * LoadCommand::kKeptOutput);
  EXPECT_TRUE(c->output().ends_with("END"));
}

TEST(LoadCommand, IsEndedWithItsOwner) {
  pid_t pid = 0;
  {
    auto c = LoadCommand::start({"sleep", "60"}, ::getuid(), ::getgid());
    ASSERT_TRUE(c.ok()) << c.error().what;
    pid = c->pid();
    EXPECT_TRUE(c->poll());
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(LoadCommand, OneThatIgnoresTermIsKilled) {
  auto c = LoadCommand::start({"sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"},
                              ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  while (c->output().empty()) {
    ASSERT_TRUE(c->poll());
    std::this_thread::sleep_for(2ms);
  }
  c->stop();
  EXPECT_FALSE(c->poll());
  EXPECT_EQ(c->exit_status(), 128 + SIGKILL);
  EXPECT_NE(c->ending().find("killed"), std::string::npos) << c->ending();
}

// As generators do upon Ctrl-C.
TEST(LoadCommand, OneThatIsAskedToEndStillPrintsItsFigures) {
  auto c = LoadCommand::start(
      {"sh", "-c", "trap 'echo figures; exit 0' INT; echo ready; while :; do sleep 0.01; done"},
      ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  while (c->output().empty() && c->poll()) std::this_thread::sleep_for(2ms);
  c->stop();
  EXPECT_EQ(c->output(), "ready\nfigures\n");
  EXPECT_EQ(c->exit_status(), 0);
  EXPECT_NE(c->ending().find("still ran"), std::string::npos) << c->ending();
}

// A descendant holds the pipe open: the command is over nevertheless, and the descendant ends with it.
TEST(LoadCommand, IsOverThoughWhatItStartedHoldsItsOutput) {
  auto c = LoadCommand::start({"sh", "-c", "sleep 60 & echo $!"}, ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  wait_for_end(*c);
  EXPECT_FALSE(c->poll());
  EXPECT_EQ(c->exit_status(), 0);
  const pid_t left = std::stoi(c->output());
  ASSERT_EQ(::kill(left, 0), 0);
  c->stop();
  EXPECT_FALSE(lives(left));
  EXPECT_NE(c->ending().find("processes that it had started"), std::string::npos) << c->ending();
}

TEST(LoadCommand, OneThatEndsWithAllThatItStartedNeedsNoWord) {
  auto c = LoadCommand::start({"sh", "-c", "sleep 0.01 & wait"}, ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  wait_for_end(*c);
  c->stop();
  EXPECT_EQ(c->ending(), "");
}

TEST(LoadCommand, WhoIsOutOfPatienceDoesNotWait) {
  auto c = LoadCommand::start({"sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"},
                              ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  while (c->output().empty() && c->poll()) std::this_thread::sleep_for(2ms);
  int asked = 0;
  c->stop([&] { return ++asked < 3; });
  EXPECT_LE(asked, 4);  // three looks after the first signal, one after the second
  EXPECT_EQ(c->exit_status(), 128 + SIGKILL);
}

}  // namespace
}  // namespace srvprof
