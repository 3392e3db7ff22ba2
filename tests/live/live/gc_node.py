"""Collections of V8: perf_hooks says when each was."""

from . import collector, hygiene, servers
from .outcome import check

KINDS = {1: "scavenge", 4: "mark-compact", 2: "minor mark-sweep"}


def check_node(t, version=None):
    binary = t.cache.npm_node(version) if version else None
    server = servers.node(t, "gc.js", binary=binary, env={"LIVE_MB": 8})
    collector.Truth(server)  # from now on it keeps the entries
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file before anything was attached")
    before, after, recording = collector.record(t, server, f"4 GET {server.url('/alloc?kb=48')}")
    entries = [e for e in after.said["entries"] if before.received <= int(e["start_ns"]) <= after.sent]
    pauses = [p for p in collector.spans(recording, "gc.pause") if before.received <= p["t_begin"] <= after.sent]
    for number, kind in KINDS.items():
        said = sum(e["kind"] == number for e in entries)
        recorded = sum(p["kind"] == kind for p in pauses)
        if said or recorded:
            t.note(f"{kind}: perf_hooks {said}, recorded {recorded}")
        check(said == recorded, f"{kind}: perf_hooks says {said}, recorded {recorded}")
    check(len(pauses) > 10, f"only {len(pauses)} collections")
    collector.check_longest(t, max(e["ms"] for e in entries if e["kind"] in KINDS), pauses)
    check(all(p["reason"] for p in pauses), "a pause without its reason")
    collector.check_source(t, recording)
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
