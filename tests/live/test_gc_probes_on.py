"""While attached, the code of a Node server differs from its file in as many places as it is probed."""

from live import hygiene, servers, srvprof
from live.outcome import check


def test_gc_probes_on(t):
    server = servers.node(t, "gc.js")
    with srvprof.Attach(t, server.pid) as run:
        on = hygiene.changed_code(server.pid)
    probes = [p["name"] for p in run.recording.report().header["probes"] if p["name"].startswith("uprobe ")]
    t.note(f"{on} bytes changed while attached, by {len(probes)} probes: {', '.join(sorted(set(probes)))}")
    # A function's entry and its return are one place.
    check(0 < on <= len(probes), f"{on} bytes differ while {len(probes)} probes are on")
    check(hygiene.changed_code(server.pid) == 0, "the code is not that of the file after detach")
