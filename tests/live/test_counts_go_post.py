"""POST bodies of 4 KB into Go, which reads a byte of the next head early."""

from live import loads, scenarios, servers


def test_counts_go_post(t):
    server = servers.go(t)
    body = loads.json_body(t)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/echo"), seconds=6, body=body))
