"""Nothing is wrong with a lightly loaded Go server, and srvprof says so (with --long)."""

from live import scenarios, servers
from live.outcome import Skip


def test_quiet_go(t):
    if not t.long:
        raise Skip("only with --long")
    scenarios.check_quiet(t, lambda: servers.go(t, cpu=scenarios.SERVER_CPU), "/hello", rate=2000)


test_quiet_go.limit = 150
