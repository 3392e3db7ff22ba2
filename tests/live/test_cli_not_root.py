"""Without privileges: exit code 3, the reason and the command to run instead."""

import os

from live import build, servers
from live.outcome import check


def test_cli_not_root(t):
    server = servers.node(t, "http.js")
    os.chmod(t.dir, 0o777)
    done = t.run([build.tool("setpriv"), "--reuid", "65534", "--regid", "65534", "--clear-groups", t.srvprof, "attach",
                  "-p", server.pid, "-d", "1s", "-o", t.path("x.srvprof"), "--no-report"], ok=(3,), timeout=20)
    check("sudo" in done.err() or "CAP_" in done.err(), f"no way out is named: {done.err()!r}")
