"""Node 24 and 26: V8 13 and 14 keep their objects elsewhere; also without symbols, and against V8's own list."""

import os

from live import names, servers

VERSIONS = ("24.21.0", "26.10.0")


def test_names_node_newer(t):
    for version in VERSIONS:
        server = servers.node(t, "names.js", binary=t.cache.npm_node(version))
        names.check_v8(t, server)
        server.process.stop()


def test_names_node_newer_stripped(t):
    for version in VERSIONS:
        server = servers.node(t, "names.js", binary=names.stripped(t, t.cache.npm_node(version)))
        names.check_v8(t, server)
        server.process.stop()


def test_names_node_newer_perf_map(t):
    for version in VERSIONS:
        server = servers.node(t, "names.js", binary=t.cache.npm_node(version), flags=["--perf-basic-prof"], cwd=t.dir)
        t.stack.callback(os.remove, f"/tmp/perf-{server.pid}.map")
        names.check_perf_map(t, names.record_names(t, server), server.pid)
        server.process.stop()


for test in (test_names_node_newer, test_names_node_newer_stripped, test_names_node_newer_perf_map):
    test.limit = 120
