"""Attaching and detaching again and again under load: the server lives, and no request fails."""

import os
import signal
import time

from . import hygiene, loads, srvprof
from .outcome import check

LONG = int(os.environ.get("SRVPROF_ROUNDS") or 200)  # with --long


def check_rounds(t, server, path, rounds=20, rate=100):
    rounds = LONG if t.long else rounds
    load = loads.start_truth(t, f"4,rate={rate} GET {server.url(path)}", seconds=rounds * 8 + 20, cpu=None)
    started, done = time.monotonic(), 0
    while done < rounds and load.running():
        with srvprof.Attach(t, server.pid):
            time.sleep(0.2)
        done += 1
        check(server.process.running(), f"the server died in round {done}")
    spent = time.monotonic() - started
    load.process.send(signal.SIGINT)
    rows = load.finish().rows()
    failed = sum(not row["recv_ns"] for row in rows)
    t.note(f"{done} rounds in {spent:.0f} s, {len(rows)} requests, {failed} failed")
    check(done == rounds, f"only {done} rounds while the load ran")
    check(len(rows) > 10 * rounds, f"only {len(rows)} requests in {rounds} rounds")
    check(failed == 0, f"{failed} requests failed")
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after the last detach")
