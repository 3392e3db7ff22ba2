"""Go at saturation: ledgers add up and little of the slowest 1 % is unexplained."""

from live import scenarios, servers


def test_exact_go(t):
    scenarios.check_explained(t, servers.go(t), "/items?page=3")
