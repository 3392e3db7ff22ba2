"""autocannon into Express: its pipelining is off, its count is of 2xx answers."""

from live import loads, scenarios, servers


def test_counts_node_autocannon(t):
    server = servers.node(t, "express.js", packages=True)
    scenarios.count_load(t, server.pid, lambda: loads.autocannon(t, server.url("/hello"), seconds=5))
