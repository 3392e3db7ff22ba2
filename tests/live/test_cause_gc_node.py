"""Requests of Node that allocate wait for the collector; the server's twin that does not allocate has no such finding."""

from live import loads, report, scenarios, servers
from live.outcome import check


def test_cause_gc_node(t):
    server = servers.node(t, "gc.js", cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 48})
    mix = f"4,rate=150 GET {server.url('/alloc?kb=48')}"
    loads.warm_up(t, mix, seconds=2)
    recording, _ = scenarios.record(t, server, mix)
    found = recording.report()
    # What the collector's helpers do beside the pauses is the process's own threads' doing.
    finding = report.expect(t, found, "GET /alloc", "gc", allow=["runq-own-threads", "handler-cpu", "page-fault"])
    first = max(found.findings("GET /alloc").values(), key=lambda f: f["share"])
    check(first["cause"] == "gc", f"the first finding is {first['cause']}")
    check("scavenge" in finding["title"] or "mark-compact" in finding["title"], f"no kind of collection: {finding['title']}")

    server.process.stop()
    idle = servers.node(t, "gc.js", cpu=scenarios.SERVER_CPU)  # a small heap, and hardly anything new in it
    twin = f"4,rate=150 GET {idle.url('/work?us=1000')}"
    loads.warm_up(t, twin, seconds=2)
    recording, _ = scenarios.record(t, idle, twin)
    report.innocent(t, recording.report(), "GET /work", ["gc"])
