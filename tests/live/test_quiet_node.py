"""Nothing is wrong with a lightly loaded Node server, and srvprof says so."""

from live import scenarios, servers


def test_quiet_node(t):
    scenarios.check_quiet(t, lambda: servers.node(t, "http.js", cpu=scenarios.SERVER_CPU), "/hello", rate=1000)


test_quiet_node.limit = 150
