"""Requests that wait for a timer of Node's loop: no lock, pool, downstream or run queue is to blame."""

from live import report, scenarios


def test_cause_timer_innocent(t):
    server = scenarios.blocker(t)
    recording, _ = scenarios.record(
        t, server,
        f"8,rate=150 GET {server.url('/sleep?ms=2')}",
        f"2,rate=6 GET {server.url('/sleep?ms=60')}")
    report.innocent(t, recording.report(), "GET /sleep", [
        "lock", "pool", "downstream", "runq-neighbour", "runq-own-threads", "cpu-quota", "stopped", "behind-other-route",
        "behind-same-route", "slow-reader", "page-fault", "disk"])
