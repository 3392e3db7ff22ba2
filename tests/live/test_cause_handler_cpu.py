"""A few requests of a route compute longer than the others: their own CPU."""

from live import report, scenarios


def test_cause_handler_cpu(t):
    server = scenarios.blocker(t)
    recording, _ = scenarios.record(
        t, server,
        f"4,rate=100 GET {server.url('/busy?us=200')}",
        f"1,rate=3 GET {server.url('/busy?us=20000')}")
    report.expect(t, recording.report(), "GET /busy", "handler-cpu", allow=["behind-same-route"])
