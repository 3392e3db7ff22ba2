"""Node: srvprof's times against a client's and a handler's own clock, id by id."""

from live import scenarios, servers


def test_truth_node(t):
    log = t.path("handler.csv")
    server = servers.node(t, "blocker.js", cpu=scenarios.SERVER_CPU, env={"HANDLER_LOG": log})
    scenarios.check_truth(
        t, server, log,
        f"4,rate=150 GET {server.url('/busy/{id}?us=2000')}",
        f"4,rate=50 GET {server.url('/busy/{id}?us=4000')}",
        f"2,rate=100 GET {server.url('/health/{id}')}")
