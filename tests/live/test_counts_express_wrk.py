"""Express 5 at saturation: every request is recorded."""

from live import loads, scenarios, servers


def test_counts_express_wrk(t):
    server = servers.node(t, "express.js", packages=True)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/hello")))
