"""Bun.serve: every request is recorded (with --long)."""

from live import loads, scenarios, servers
from live.outcome import Skip


def test_counts_bun_wrk(t):
    if not t.long:
        raise Skip("only with --long")
    server = servers.bun(t)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/hello"), seconds=4))
