"""Names of compiled functions against those that V8 writes down when it is asked to."""

import os

from live import names, servers


def test_names_node_perf_map(t):
    server = servers.node(t, "names.js", flags=["--perf-basic-prof"], cwd=t.dir)
    t.stack.callback(os.remove, f"/tmp/perf-{server.pid}.map")
    names.check_perf_map(t, names.record_names(t, server), server.pid)
