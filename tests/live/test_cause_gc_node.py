"""Requests of Node that allocate wait for the collector; the server's twin that does not allocate has no such finding."""

from live import gc_cause, scenarios, servers
from live.outcome import check


def test_cause_gc_node(t):
    server = servers.node(t, "gc.js", cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 48})
    # What the collector's helpers do beside the pauses is the process's own threads' doing.
    finding = gc_cause.check_blamed(t, server, "4,rate=150 /alloc?kb=48",
                                    allow=["runq-own-threads", "handler-cpu", "page-fault"])
    check("scavenge" in finding["title"] or "mark-compact" in finding["title"], f"no kind of collection: {finding['title']}")

    idle = servers.node(t, "gc.js", cpu=scenarios.SERVER_CPU)  # a small heap, and hardly anything new in it
    gc_cause.check_innocent(t, idle, "4,rate=150 /work?us=1000")


test_cause_gc_node.limit = 120
