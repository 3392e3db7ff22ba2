"""A connection for every request (hey -disable-keepalive), into Go."""

from live import loads, scenarios, servers


def test_counts_go_hey_close(t):
    server = servers.go(t)
    scenarios.count_load(t, server.pid, lambda: loads.hey(t, server.url("/hello"), seconds=6, keepalive=False))
