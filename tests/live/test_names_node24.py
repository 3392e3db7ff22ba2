"""Node 24: V8 13 keeps its objects elsewhere; also without symbols, and against its own list."""

import os

from live import names, servers

VERSION = "24.21.0"


def test_names_node24(t):
    names.check_v8(t, servers.node(t, "names.js", binary=t.cache.npm_node(VERSION)))


def test_names_node24_stripped(t):
    names.check_v8(t, servers.node(t, "names.js", binary=names.stripped(t, t.cache.npm_node(VERSION))))


def test_names_node24_perf_map(t):
    server = servers.node(t, "names.js", binary=t.cache.npm_node(VERSION), flags=["--perf-basic-prof"], cwd=t.dir)
    t.stack.callback(os.remove, f"/tmp/perf-{server.pid}.map")
    names.check_perf_map(t, names.record_names(t, server), server.pid)
