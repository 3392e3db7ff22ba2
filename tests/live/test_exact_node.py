"""Node at saturation: ledgers add up and little of the slowest 1 % is unexplained."""

from live import scenarios, servers


def test_exact_node(t):
    scenarios.check_explained(t, servers.node(t, "http.js"), "/items?page=3")
