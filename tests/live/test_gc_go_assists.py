"""--gc-assists: each assist of Go's collector, by goroutine; without the option there is none, and the report says so."""

from live import collector, loads, servers, srvprof
from live.outcome import check


def test_gc_go_assists(t):
    server = servers.go(t, "gc", env={"LIVE_MB": 16, "GOGC": 20})
    counts = {}
    for args in ([], ["--gc-assists"]):
        with srvprof.Attach(t, server.pid, args) as run:
            loads.truth(t, f"8,rate=200 GET {server.url('/alloc?kb=128')}", seconds=3)
        rows = collector.spans(run.recording, "gc.assist")
        whole = [row for row in rows if row["t_begin"] and row["t_end"]]
        counts[bool(args)] = len(whole)
        check(server.process.running(), "the server has ended")
        if args:
            goroutines = {row["g"] for row in whole}
            t.note(f"{len(whole)} assists of {len(goroutines)} goroutines, "
                   f"{sum(row['t_end'] - row['t_begin'] for row in whole) / 1e6:.1f} ms in all")
            check(len(goroutines) > 4, f"assists of only {len(goroutines)} goroutines")
            check(all(row["t_begin"] <= row["t_end"] for row in whole), "an assist that ends before it begins")
    check(counts[False] == 0 and counts[True] > 20, f"assists without and with the option: {counts}")
