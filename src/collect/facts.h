// What is known before the first record: the targets, and the rows that describe the run.
#pragma once

#include <vector>

#include "base/result.h"
#include "collect/probes.h"
#include "collect/session.h"
#include "recording/writer.h"
#include "target/process.h"
#include "target/sockets.h"

namespace srvprof {

// The processes of options.pids, with their children if they are followed. Errors: kNoTarget.
Result<std::vector<ProcessInfo>> find_targets(const ProcFs& fs, const CaptureOptions& options);

// Says in words what is missing when this kernel or these privileges cannot capture; cheap checks only.
Status check_can_capture();

// Gives up what is not needed once the probes are live (kept: reading the target, starting and ending the
// load, own cost), and once they are gone (kept: writing the report). What could not be given up is
// written down. Nothing to be done about it: the run goes on.
void drop_privileges_for_recording(RecordingWriter& writer);
void drop_privileges_for_report();

// The ring's size: `wanted` rounded up to a power of two, or the default.
std::size_t ring_size(std::size_t wanted);

// True if the cpu controller of the process is on a v1 hierarchy.
bool cpu_is_v1(const ProcessInfo& process);

void write_meta(const CaptureOptions& options, const std::vector<ProcessInfo>& targets,
                const ProbeConfig& config, const std::string& runtime, RecordingWriter& writer);
void write_listeners(const Listeners& listeners, std::uint32_t pid, RecordingWriter& writer);
// What the target's runtimes call their threads, for the model (meta "role.*").
void write_thread_hints(const std::string& runtimes, RecordingWriter& writer);
// The names of the threads that live now.
void write_threads(const ProcFs& fs, const ProcessInfo& process, RecordingWriter& writer);
void write_capabilities(const Probes& probes, const ProbeConfig& config, RecordingWriter& writer);

}  // namespace srvprof
