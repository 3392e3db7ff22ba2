"""An 80 ms stall each second under a closed loop: what it did not send, against an open loop beside it."""

import threading

from live import faults, load_side, loads, scenarios, servers, srvprof
from live.outcome import check

SECONDS = 16


def test_load_omission(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"16 GET {server.url('/hello')}")
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        opened = loads.start_truth(t, f"40,rate=400 GET {server.url('/hello')}", seconds=SECONDS)
        closed = load_side.start_stages(t, server.url("/hello"), f"{SECONDS}:8", think=3, cpu=scenarios.CLIENT_CPU)
        stalls = threading.Thread(target=faults.stop_and_continue, args=(
            server.pid, lambda: opened.running() and closed.running(), 0.08, 1.0))
        stalls.start()
        opened.finish()
        load_side.finish_stages(closed, SECONDS)
        stalls.join()
    load = load_side.joined(run.recording_with("--load", t.path("stages.csv")))
    load_side.check_counts(t, load)
    check(load["loop"] == "closed", f"taken for a {load['loop']} loop: {load['loop_why']}")
    late = sorted(row["recv_ns"] - row["due_ns"] for row in opened.rows() if row["recv_ns"])
    for p in (99, 99.9):
        row = load_side.percentile(load["whole"], p)
        truth = late[min(len(late) - 1, int(p / 100 * len(late)))]
        t.note(f"p{p:g} ms: open loop {truth / 1e6:.1f}; closed loop as sent {row['client_ns'] / 1e6:.1f}, as intended "
               f"{row['client_intended_ns'] / 1e6:.1f}; server as sent {row['server_ns'] / 1e6:.1f}, as intended "
               f"{row['server_intended_ns'] / 1e6:.1f}")
        for column in ("client_intended_ns", "server_intended_ns"):
            check(abs(row[column] / truth - 1) <= 0.15,
                  f"p{p:g} {column} is {row[column] / 1e6:.1f} ms, the open loop measured {truth / 1e6:.1f}")
    row = load_side.percentile(load["whole"], 99)
    check(row["server_ns"] < row["server_intended_ns"], "as sent is not below as intended")
