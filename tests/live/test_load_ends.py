"""How a load that srvprof started ends, and what is said of it: with the recording, after it, or never by itself."""

import os
import signal
import time

from live import load_side, servers, srvprof
from live.build import tool
from live.outcome import Skip, check


def attach(t, server, load, *args):
    """Starts attach with a load command; returns (process, path of the recording)."""
    path = t.path(f"run{len(os.listdir(t.dir))}.srvprof")
    started = t.start([t.srvprof, "attach", "-p", server.pid, "-o", path, "--no-report", *args, "--", *load],
                      name="srvprof-attach")
    started.wait_output("tracing pid", stream="err", timeout=25)
    return started, path


def the_load(t, path):
    return srvprof.Recording(t, path).report().data["loads"][0]


def test_load_ends_with_duration(t):
    """-d is over first: hey is asked to end, and prints its figures, which are joined."""
    server = servers.go(t)
    run, path = attach(t, server, [tool("hey"), "-z", "60s", "-c", 8, server.url("/hello")], "-d", "3s")
    run.finish(20)
    load = the_load(t, path)
    check("still ran" in load["ended"], f"its end is not told: {load['ended']!r}")
    load_side.check_counts(t, load)


def test_load_ends_by_ctrl_c(t):
    """The first Ctrl-C ends a load and the recording, also where the load would never end."""
    server = servers.go(t)
    run, path = attach(t, server, [tool("sh"), "-c", "trap '' INT TERM; while :; do sleep 0.2; done"])
    time.sleep(1)
    run.send(signal.SIGINT)
    run.finish(15)
    check("had to be killed" in the_load(t, path)["ended"], "its end is not told")


def test_load_ends_with_descendants(t):
    """Its process has ended, but one that it started holds its output: both are over, and the report says so."""
    server = servers.go(t)
    script = f"sleep 120 & echo $! > {t.path('pid')}; {tool('hey')} -n 4000 -c 8 {server.url('/hello')}"
    run, path = attach(t, server, [tool("sh"), "-c", script])
    run.finish(20)
    with open(t.path("pid"), encoding="ascii") as file:
        pid = int(file.read())
    check(not os.path.exists(f"/proc/{pid}") or _zombie(pid), "what the load had started was left running")
    load = the_load(t, path)
    check("processes that it had started ran on" in load["ended"], f"its end is not told: {load['ended']!r}")
    load_side.check_counts(t, load)


def _zombie(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"


def test_load_ends_silent(t):
    """A load that hangs is named after ten seconds without a request."""
    if not t.long:
        raise Skip("waits for ten seconds: with --long")
    server = servers.go(t)
    run, path = attach(t, server, [tool("sleep"), "60"])
    run.wait_output("no request reached the server for 10 s", stream="err", timeout=20)
    check("sleep" in run.err() and "Ctrl-C" in run.err(), f"who hangs is not named: {run.err()}")
    run.send(signal.SIGINT)
    run.finish(15)
    check("still ran" in the_load(t, path)["ended"], "its end is not told")


def test_load_ends_badly(t):
    """A generator that fails: its status is told with what it printed."""
    server = servers.go(t)
    run, path = attach(t, server, [tool("sh"), "-c", "echo cannot do that >&2; exit 3"])
    run.finish(15)
    load = the_load(t, path)
    check(load["ended"] == "it ended with exit status 3", f"its end is not told: {load['ended']!r}")
    check("cannot do that" in run.err(), "what it printed is not shown")
