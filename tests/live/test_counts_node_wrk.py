"""Node http at saturation: every request is recorded."""

from live import loads, scenarios, servers


def test_counts_node_wrk(t):
    server = servers.node(t, "http.js")
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/hello")))
