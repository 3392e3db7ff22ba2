"""POST /login hashes on Node's loop: GET /health waits behind it, not in the run queue."""

from live import report, scenarios


def test_cause_loop_hashing(t):
    server = scenarios.blocker(t)
    recording, _ = scenarios.record(
        t, server,
        f"4,rate=200 GET {server.url('/health')}",
        f"1,rate=4 POST {server.url('/login')}")
    finding = report.expect(t, recording.report(), "GET /health", "behind-other-route", at_least=0.7)
    report.evidence_mentions(finding, "/login")
