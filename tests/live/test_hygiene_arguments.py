"""A recording holds the target's command line, and of other processes their names only."""

from live import faults, loads, servers
from live.build import tool
from live.outcome import check
from live.srvprof import Attach

SECRET = "password-of-a-neighbour"


def test_hygiene_arguments(t):
    server = servers.node(t, "http.js", cpu=0)
    neighbour = [tool("python3"), "-c", "while True: pass", SECRET]
    t.start(neighbour, name="neighbour", cpu=0)  # it delays the target, so that it is named
    with Attach(t, server.pid, cpu=1) as run:
        loads.warm_up(t, f"4,rate=200 GET {server.url('/hello')}", seconds=3)
    text = t.run([t.srvprof, "dump", run.recording.path], name="srvprof-dump", timeout=60).out()
    check("http.js" in text, "the target's command line is missing")
    check('comm="python3"' in text, "the neighbour is not named")
    check(SECRET not in text, "an argument of another process is in the recording")
