#include "collect/load_command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

void wait_for_end(LoadCommand& c) {
  for (int i = 0; i < 1000 && c.poll(); ++i) std::this_thread::sleep_for(5ms);
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
  auto c = LoadCommand::start({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"},
                              ::getuid(), ::getgid());
  ASSERT_TRUE(c.ok()) << c.error().what;
  while (c->output().empty()) {
    ASSERT_TRUE(c->poll());
    std::this_thread::sleep_for(2ms);
  }
  c->stop();
  EXPECT_FALSE(c->poll());
  EXPECT_EQ(c->exit_status(), 128 + SIGKILL);
}

}  // namespace
}  // namespace srvprof
