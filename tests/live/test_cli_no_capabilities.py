"""Root without the BPF capabilities, as in a container: exit code 3 or 4, and what is missing."""

from live import build, servers
from live.outcome import check


def test_cli_no_capabilities(t):
    server = servers.node(t, "http.js")
    drop = "-sys_admin,-bpf,-perfmon,-sys_ptrace"
    done = t.run([build.tool("setpriv"), "--bounding-set", drop, "--inh-caps", drop, t.srvprof, "attach", "-p", server.pid,
                  "-d", "1s", "-o", t.path("x.srvprof"), "--no-report"], ok=(3, 4), timeout=20)
    check("CAP_" in done.err() or "capabilit" in done.err(), f"what is missing is not said: {done.err()!r}")
