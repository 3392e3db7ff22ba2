"""Every collection of CPython is recorded, by generation, as gc.callbacks count them."""

from live import collector, hygiene, servers
from live.outcome import check


def test_gc_cpython(t):
    server = servers.python(t, "collector.py", env={"LIVE": 100000})
    # One connection: with two, the callback at the end waits for the interpreter lock, and counts that.
    before, after, recording = collector.record(t, server, f"1 GET {server.url('/alloc?n=2000')}")
    rows = collector.spans(recording, "gc.pause")
    for generation in ("0", "1", "2"):
        said = after.said["collections"][generation] - before.said["collections"][generation]
        of_it = [row for row in rows if row["kind"] == f"generation {generation}"]
        if said > 3:
            collector.check_count(t, f"generation {generation}", said, of_it, before, after)
        else:
            check(abs(len(of_it) - said) <= 1, f"generation {generation}: {said}, recorded {len(of_it)}")
    collector.check_longest(t, after.said["longest_ms"], rows)
    collector.check_source(t, recording)
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
