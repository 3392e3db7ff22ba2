"""Collections of Go: MemStats counts them. Each has two stops of the world and one cycle."""

from . import collector, hygiene
from .outcome import check


def check_go(t, server):
    before, after, recording = collector.record(t, server, f"4 GET {server.url('/alloc?kb=64')}")
    said = after.said["collections"] - before.said["collections"]
    cycles = collector.spans(recording, "gc.cycle")
    collector.check_count(t, "cycles", said, cycles, before, after, slack=1)
    stops = [s for s in collector.spans(recording, "gc.stw") if s["kind"].startswith("GC") or not s["kind"]]
    inside = [s for s in stops if before.sent <= s["t_end"] <= after.received]
    t.note(f"{len(inside)} stops of the world")
    check(2 * said - 2 <= len(inside) <= 2 * said + 4, f"{len(inside)} stops for {said} collections")
    # MemStats.PauseNs is both stops of a collection together, from when they were asked for.
    both = [sum(s["t_end"] - (s["t_stopping"] or s["t_begin"]) for s in stops if s["t_end"] > c["t_begin"] and s["t_begin"] < c["t_end"])
            for c in cycles if c["t_begin"] > before.received and c["t_end"]]
    longest, said_ms = max(both) / 1e6, after.said["longest_ms"]
    t.note(f"longest: MemStats (both stops of a collection) {said_ms:.2f} ms, recorded {longest:.2f} ms")
    check(abs(longest - said_ms) <= max(0.05 * said_ms, 0.3), f"the longest is {said_ms} ms, recorded {longest} ms")
    collector.check_source(t, recording)
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
