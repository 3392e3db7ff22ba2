"""Attaching and detaching again and again under load: the server lives, and no request fails."""

import time

from . import hygiene, loads, srvprof
from .outcome import check


def check_rounds(t, server, path, rounds=20):
    rounds = 200 if t.long else rounds
    load = loads.start_truth(t, f"4,rate=200 GET {server.url(path)}", seconds=rounds * 2 + 5, cpu=None)
    done = 0
    while done < rounds and load.running():
        with srvprof.Attach(t, server.pid):
            time.sleep(0.2)
        done += 1
        check(server.process.running(), f"the server died in round {done}")
    rows = load.finish().rows()
    failed = sum(not row["recv_ns"] for row in rows)
    t.note(f"{done} rounds, {len(rows)} requests, {failed} failed")
    check(done == rounds, f"only {done} rounds while the load ran")
    check(failed == 0, f"{failed} requests failed")
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after the last detach")
