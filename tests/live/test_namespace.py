"""Targets in containers: by their pid on the host, their names through /proc/PID/root; and wrong pids explained."""

from live import loads, namespaces, scenarios, servers, stacks
from live.build import tool
from live.outcome import check


def test_namespace_target(t):
    """A server whose program no path of the host leads to: counted, exact, and its functions have names."""
    server, _ = namespaces.server(t, t.cache.go("http"))
    recording = scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/items"), seconds=3))
    flame = t.run([t.srvprof, "export", recording.path, "--format", "folded", "-o", "-"], name="srvprof-export").out()
    check("net/http.(*conn).serve" in flame, "Go's functions have no names")


def test_namespace_dlopen(t):
    """What a contained server loads while attached, from a path of its own: tables and names, without frame pointers."""
    stacks.check_late(t, namespaces.server(t, *t.cache.late())[0])


def test_namespace_wrong_pid(t):
    """The number that a process has in its container: the one that it has here is named."""
    server, inner = namespaces.server(t, t.cache.go("http"))
    done = t.run([t.srvprof, "attach", "-p", inner, "-d", "1s", "--no-report", "-o", t.path("x.srvprof")], ok=(5,))
    check(f"--pid {server.pid}" in done.err(), f"the pid outside is not named: {done.err()}")


def test_namespace_own(t):
    """srvprof in a container with pids of its own: it says so, and what to do."""
    script = (f"{tool('node')} {servers.SERVERS}/node/http.js {t.port()} & server=$!; sleep 1; "
              f"{t.srvprof} attach -p $server -d 1s --no-report -o {t.path('x.srvprof')}; code=$?; kill $server; exit $code")
    done = t.run(namespaces.enter("sh", "-c", script), ok=(4,))
    check("pid namespace" in done.err() and "host" in done.err(), f"it is not explained: {done.err()}")
