"""nginx at saturation: every request is recorded."""

from live import loads, scenarios, servers


def test_counts_nginx_wrk(t):
    server = servers.nginx(t)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/hello")))
