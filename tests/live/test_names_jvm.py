"""--jvm-perf-map: compiled Java code by name, as the JVM itself lists it; without the option srvprof says how."""

import collections
import os
import subprocess

from live import loads, names, servers, srvprof
from live.build import tool
from live.outcome import check


def test_names_jvm(t):
    server = servers.java(t, "Collector", flags=["-Xmx256m"])
    listed = f"/tmp/perf-{server.pid}.map"
    t.stack.callback(lambda: os.path.exists(listed) and os.remove(listed))
    loads.truth(t, f"2 GET {server.url('/alloc?kb=64')}", seconds=3)
    with srvprof.Attach(t, server.pid) as run:
        loads.truth(t, f"2 GET {server.url('/alloc?kb=64')}", seconds=1)
    check(not os.path.exists(listed), "a perf map was written without --jvm-perf-map")
    said = " ".join(line["text"] for line in run.recording.report().data["coverage"])
    check("--jvm-perf-map" in said, f"the report does not say how Java code gets names: {said[:500]}")

    with srvprof.Attach(t, server.pid, ["--jvm-perf-map", "--frequency", "499"]) as run:
        loads.truth(t, f"2 GET {server.url('/alloc?kb=64')}", seconds=4)
    check("--jvm-perf-map" in run.process.err() + run.process.out(), "srvprof does not announce what it asks of the JVM")
    check(not os.path.exists(f"/tmp/.attach_pid{server.pid}"), "the file that wakes the JVM is left behind")
    check(server.process.running(), "the JVM has ended")
    check_listed(t, names.Stacks(t, run.recording), server.pid)


def check_listed(t, stacks, pid):
    """Frames of compiled code against the list that the JVM writes for its own tool."""
    subprocess.run([tool("jcmd"), str(pid), "Compiler.perfmap"], check=True, capture_output=True, timeout=30)
    perf_map = names.PerfMap(pid)
    same, listed, unnamed, functions = 0, 0, 0, collections.Counter()
    for frame, times in stacks.frames:
        if not names.is_jit(frame):
            continue
        said = perf_map.find(frame.pc - (0 if frame.leaf else 1))
        unnamed += times * (said is not None and not frame.function)
        if said is None or not frame.function:
            continue
        listed += times
        same += times * (said == frame.function)
        functions[frame.function] += times
    t.note(f"functions: {', '.join(name for name, _ in functions.most_common(4))}")
    names.check_share(t, "compiled frames with the JVM's own name", same, listed, 0.95)
    names.check_share(t, "compiled frames that the JVM lists and that have a name", listed, listed + unnamed, 0.95)
    # The compiler may put every function of the server into the one that calls its handler.
    check(any("Collector" in name or "httpserver" in name for name in functions), f"no function of the server: {functions.most_common(5)}")


test_names_jvm.limit = 90
