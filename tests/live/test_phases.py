"""Phases of the load are found without being told."""

import os
import shutil
import time

from live import load_side, loads, scenarios, servers, srvprof
from live.outcome import check

EDGE, RAMP_EDGE = 1.0, 3.0  # seconds that a boundary may be off


def phases_of(t, recording):
    """[(name, begin, end)] in Unix seconds."""
    clock = load_side.wall_clock(recording)
    found = [(p["name"], clock(p["begin_ns"]), clock(p["end_ns"])) for p in recording.report().data["phases"]]
    t.note("phases: " + ", ".join(f"{name} {end - begin:.1f} s" for name, begin, end in found))
    return found


def test_phases_stages(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"8 GET {server.url('/hello')}")
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        time.sleep(2)
        client = load_side.start_stages(t, server.url("/hello"), "5:4", "5:10", "5:24", "6:24-6", "5:6",
                                        cpu=scenarios.CLIENT_CPU)
        summary = load_side.finish_stages(client, 26)
        time.sleep(1.5)
    found = [p for p in phases_of(t, run.recording) if not p[0].startswith("idle")]
    names = [name.split("-")[0] for name, _, _ in found]
    check(names == ["steady", "steady", "steady", "ramp", "steady"], f"the phases are {names}")
    limits = [EDGE, EDGE, EDGE, RAMP_EDGE, RAMP_EDGE]
    for (name, begin, _), wanted, limit in zip(found, summary["begins"], limits):
        check(abs(begin - wanted) <= limit, f"{name} begins {begin - wanted:+.2f} s off")
    check(abs(found[-1][2] - summary["end"]) <= EDGE, f"the load ends {found[-1][2] - summary['end']:+.2f} s off")


def test_phases_pause(t):
    """wrk twice with a pause between: two loads and what is idle around them."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"8 GET {server.url('/hello')}", seconds=3)
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        time.sleep(1.5)
        edges = []
        for _ in range(2):
            edges.append(time.time())
            loads.wrk(t, server.url("/hello"), conns=16, seconds=5, cpu=scenarios.CLIENT_CPU)
            edges.append(time.time())
            time.sleep(2)
    found = phases_of(t, run.recording)
    idle = [p for p in found if p[0].startswith("idle")]
    check(len(idle) == 3, f"{len(idle)} idle phases, not 3")
    wanted = [(None, edges[0]), (edges[1], edges[2]), (edges[3], None)]
    for (name, begin, end), (from_, to) in zip(idle, wanted):
        check(from_ is None or abs(begin - from_) <= EDGE, f"{name} begins {begin - (from_ or 0):+.2f} s off")
        check(to is None or abs(end - to) <= EDGE, f"{name} ends {end - (to or 0):+.2f} s off")


def test_phases_mark(t):
    """srvprof mark overrides what would be found; another user's mark is refused."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        load = loads.start_truth(t, f"4,rate=200 GET {server.url('/hello')}", seconds=5)
        time.sleep(2)
        t.run([t.srvprof, "mark", "-p", server.pid, "second-half"])
        marked = time.time()
        # A copy that everybody may run, in case that the binary's folder is root's.
        program = os.path.join("/tmp", f"srvprof-{os.getpid()}-mark")
        shutil.copy(t.srvprof, program)
        t.stack.callback(os.remove, program)
        os.chmod(program, 0o755)
        refused = t.start(["setpriv", "--reuid", "65534", "--clear-groups", program, "mark", "-p", server.pid, "theirs"])
        refused.finish(10, ok=(3,))
        check("another user" in refused.err(), f"why it is refused is not said: {refused.err()}")
        load.finish()
    found = phases_of(t, run.recording)
    check([name for name, _, _ in found] == ["unmarked", "second-half"], f"the phases are {found}")
    check(abs(found[1][1] - marked) <= EDGE, f"the mark is {found[1][1] - marked:+.2f} s off")


test_phases_stages.limit = 90
