// Asking a JVM to list its compiled code (--jvm-perf-map): the one thing that srvprof asks of a target. It
// speaks HotSpot's attach protocol as jcmd does (sun.tools.attach.VirtualMachineImpl, attachListener_posix.cpp).
// In the JVM an attach listener is started if none is there; it and /tmp/perf-PID.map stay. JDK 17 and newer.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "target/process.h"

namespace srvprof {

// Asks `process` to write its perf map and waits for the answer, at most `patience`. Error: it does not listen
// (attaching is switched off, or SIGQUIT would end it), refuses, or does not know the command. Sends SIGQUIT
// only to a JVM that has a handler for it.
Status write_jvm_perf_map(const ProcFs& fs, const ProcessInfo& process, Duration patience);

// What the answer says: nothing if the JVM did as it was asked. The answer is hostile text.
Status judge_jvm_answer(std::string_view answer);

}  // namespace srvprof
