"""Six requests of one route at once: the last ones wait behind the first."""

from live import report, scenarios


def test_cause_same_route(t):
    server = scenarios.blocker(t)
    recording, _ = scenarios.record(
        t, server,
        f"4,rate=50 GET {server.url('/busy?us=1000')}",
        # Six kept connections that send together, twice a second; a burst of connects would be the accept queue's.
        *[f"1,rate=2,at={0.25 + i / 10000} GET {server.url('/busy?us=6000')}" for i in range(6)])
    report.expect(t, recording.report(), "GET /busy", "behind-same-route", allow=["handler-cpu"])
