#include "runtime/jvm_attach.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

TEST(JvmAttach, AnswersThatSayYes) {
  EXPECT_TRUE(judge_jvm_answer("0\n").ok());
  EXPECT_TRUE(judge_jvm_answer("0\nCommand executed successfully\n").ok());
}

TEST(JvmAttach, AnswersThatSayNo) {
  for (const char* answer : {"", "\n", "1\n", "101\n", "0\njava.lang.IllegalArgumentException: Unknown diagnostic command\n",
                             "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n", "no number"}) {
    const Status status = judge_jvm_answer(answer);
    ASSERT_FALSE(status.ok()) << answer;
    EXPECT_TRUE(status.error().what.starts_with("asking the JVM for its perf map: ")) << status.error().what;
  }
  const Status hostile = judge_jvm_answer("1\n\x1b[31m" + std::string(5000, 'x'));
  ASSERT_FALSE(hostile.ok());
  EXPECT_EQ(hostile.error().what.find('\x1b'), std::string::npos);
  EXPECT_LT(hostile.error().what.size(), 400u);
}

// This process handles no SIGQUIT, so it must not be sent one.
TEST(JvmAttach, SparesWhatIsNoJvm) {
  const auto self = read_process(ProcFs{}, ::getpid());
  ASSERT_TRUE(self.ok());
  const Status status = write_jvm_perf_map(ProcFs{}, *self, 100ms);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("SIGQUIT"), std::string::npos) << status.error().what;
}

}  // namespace
}  // namespace srvprof
