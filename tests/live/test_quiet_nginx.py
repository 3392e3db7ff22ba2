"""Nothing is wrong with a lightly loaded nginx server, and srvprof says so (with --long)."""

from live import scenarios, servers
from live.outcome import Skip


def test_quiet_nginx(t):
    if not t.long:
        raise Skip("only with --long")
    scenarios.check_quiet(t, lambda: servers.nginx(t, cpu=scenarios.SERVER_CPU), "/hello", rate=3000)


test_quiet_nginx.limit = 150
