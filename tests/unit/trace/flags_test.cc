// The model's copies of the kernel side's numbers.
#include "trace/flags.h"

#include <gtest/gtest.h>

#include "records.h"

namespace srvprof {
namespace {

TEST(Flags, AreThoseOfTheRecords) {
  EXPECT_EQ(kReqFirst, static_cast<unsigned>(SP_REQ_FIRST));
  EXPECT_EQ(kReqPreexisting, static_cast<unsigned>(SP_REQ_PREEXISTING));
  EXPECT_EQ(kReqNoArrival, static_cast<unsigned>(SP_REQ_NO_ARRIVAL));
  EXPECT_EQ(kReqPipelined, static_cast<unsigned>(SP_REQ_PIPELINED));
  EXPECT_EQ(kReqAborted, static_cast<unsigned>(SP_REQ_ABORTED));
  EXPECT_EQ(kReqCensored, static_cast<unsigned>(SP_REQ_CENSORED));
  EXPECT_EQ(kReqSendBlocked, static_cast<unsigned>(SP_REQ_SEND_BLOCKED));
  EXPECT_EQ(kReqInterim, static_cast<unsigned>(SP_REQ_INTERIM));
  EXPECT_EQ(kReqEarly, static_cast<unsigned>(SP_REQ_EARLY));
  EXPECT_EQ(kReqNoBytes, static_cast<unsigned>(SP_REQ_NO_BYTES));
  EXPECT_EQ(kReqClosed, static_cast<unsigned>(SP_REQ_CLOSED));
  EXPECT_EQ(kReqQueued, static_cast<unsigned>(SP_REQ_QUEUED));
  EXPECT_EQ(kOffPreempted, static_cast<unsigned>(SP_OFF_PREEMPTED));
  EXPECT_EQ(kOffThrottled, static_cast<unsigned>(SP_OFF_THROTTLED));
  EXPECT_EQ(kOffNew, static_cast<unsigned>(SP_OFF_NEW));
  EXPECT_EQ(kOffMigrated, static_cast<unsigned>(SP_OFF_MIGRATED));
  EXPECT_EQ(kOffIowait, static_cast<unsigned>(SP_OFF_IOWAIT));
  EXPECT_EQ(kOffFromSyscall, static_cast<unsigned>(SP_OFF_FROM_SYSCALL));
  EXPECT_EQ(kOffNoStart, static_cast<unsigned>(SP_OFF_NO_START));
  EXPECT_EQ(kConnOut, static_cast<unsigned>(SP_CONN_OUT));
  EXPECT_EQ(kConnPreexisting, static_cast<unsigned>(SP_CONN_PREEXISTING));
  EXPECT_EQ(kConnUnsampled, static_cast<unsigned>(SP_CONN_UNSAMPLED));
  EXPECT_EQ(kConnReset, static_cast<unsigned>(SP_CONN_RESET));
  EXPECT_EQ(kConnPeerFirst, static_cast<unsigned>(SP_CONN_PEER_FIRST));
  EXPECT_EQ(kConnNeverAccepted, static_cast<unsigned>(SP_CONN_NEVER_ACCEPTED));
  EXPECT_EQ(kConnIpv6, static_cast<unsigned>(SP_CONN_IPV6));
  EXPECT_EQ(kMarkRead, static_cast<unsigned>(SP_MARK_READ));
  EXPECT_EQ(kMarkWrite, static_cast<unsigned>(SP_MARK_WRITE));
  EXPECT_EQ(kMarkOut, static_cast<unsigned>(SP_MARK_OUT));
  EXPECT_EQ(kMarkOpaque, static_cast<unsigned>(SP_MARK_OPAQUE));
  EXPECT_EQ(kTaskTarget, static_cast<unsigned>(SP_TASK_TARGET));
  EXPECT_EQ(kTaskKthread, static_cast<unsigned>(SP_TASK_KTHREAD));
  EXPECT_EQ(kTaskBorn, static_cast<unsigned>(SP_TASK_BORN));
  EXPECT_EQ(kTaskExec, static_cast<unsigned>(SP_TASK_EXEC));
  EXPECT_EQ(kTaskRenamed, static_cast<unsigned>(SP_TASK_RENAMED));
  EXPECT_EQ(kTaskRt, static_cast<unsigned>(SP_TASK_RT));
}

}  // namespace
}  // namespace srvprof
