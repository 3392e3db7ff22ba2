"""Stops of the world of Bun, whose binary is stripped, against what BUN_JSC_logGC=1 prints."""

import re
import time

from live import collector, hygiene, loads, servers, srvprof
from live.outcome import check


def test_gc_bun(t):
    server = servers.bun(t, env={"BUN_JSC_logGC": 1})
    mix = f"4 GET {server.url('/alloc?kb=48')}"
    with srvprof.Attach(t, server.pid) as run:
        time.sleep(0.2)
        before = len(server.process.err() + server.process.out())
        loads.truth(t, mix, seconds=4)
        time.sleep(0.5)
        log = (server.process.err() + server.process.out())[before:]
    said = [float(ms) for ms in re.findall(r"p=([\d.]+)ms", log)]
    rows = [row for row in collector.spans(run.recording, "gc.pause") if row["t_begin"] and row["t_end"]]
    t.note(f"stops: logGC {len(said)}, recorded {len(rows)}")
    check(len(said) > 20, f"hardly any stop ({len(said)}): the test's load is too small")
    check(abs(len(rows) - len(said)) <= max(2, 0.01 * len(said)), f"logGC says {len(said)} stops, recorded {len(rows)}")
    # Stopping and resuming is in the recorded times, and not in the printed ones.
    collector.check_longest(t, max(said), rows, share=0.25, least_ms=3)
    collector.check_source(t, run.recording)
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
