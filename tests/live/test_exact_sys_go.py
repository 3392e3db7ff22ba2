"""The last fallback (`--capture sys`) on Go: ledgers add up, little of the slowest 1 % is unexplained."""

from live import scenarios, servers


def test_exact_sys_go(t):
    scenarios.check_explained(t, servers.go(t), "/items?page=3", args=("--capture", "sys"))
