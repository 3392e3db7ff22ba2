"""A connection for every request (hey -disable-keepalive), into Node."""

from live import loads, scenarios, servers


def test_counts_node_hey_close(t):
    server = servers.node(t, "http.js")
    scenarios.count_load(t, server.pid, lambda: loads.hey(t, server.url("/hello"), seconds=6, keepalive=False))
