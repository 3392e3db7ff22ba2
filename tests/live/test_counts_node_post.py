"""POST bodies of 4 KB into Node: the body is part of its request, not a second one."""

from live import loads, scenarios, servers


def test_counts_node_post(t):
    server = servers.node(t, "http.js")
    body = loads.json_body(t)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/echo"), seconds=6, body=body))
