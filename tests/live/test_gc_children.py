"""With --follow-children the collections of a worker that is born after attach are recorded, too."""

import re
import signal

from live import collector, loads, servers, srvprof
from live.outcome import check


def test_gc_children(t):
    server = servers.node(t, "cluster.js")
    with srvprof.Attach(t, server.pid, ["--follow-children"]) as run:
        loads.hey(t, server.url("/alloc"), seconds=2, conns=16, keepalive=False)
        server.process.send(signal.SIGUSR2)
        born = int(re.search(r"GROWN (\d+)", server.process.wait_output(re.compile(r"GROWN \d+\n")))[1])
        loads.hey(t, server.url("/alloc"), seconds=4, conns=16, keepalive=False)
    by_process = {}
    for row in collector.spans(run.recording, "gc.pause"):
        by_process[int(row["pid"])] = by_process.get(int(row["pid"]), 0) + 1
    t.note(f"collections by process: {by_process}, born later: {born}")
    check(by_process.get(born, 0) > 2, f"collections of the worker born later ({born}) are not recorded: {by_process}")
    check(len(by_process) >= 3, f"collections of only {len(by_process)} of 3 workers")
