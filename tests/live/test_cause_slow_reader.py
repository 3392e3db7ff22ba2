"""Four of twelve clients read 4 MB slowly, more than the send buffer holds: their answers wait for it."""

from live import loads, report, scenarios


def test_cause_slow_reader(t):
    server = scenarios.blocker(t)
    fast = f"8,rate=60 GET {server.url('/large?kb=512')}"
    loads.warm_up(t, fast)
    recording, _ = scenarios.record(t, server, fast, f"4,slow=3000000 GET {server.url('/large?kb=4096')}")
    report.expect(t, recording.report(), "GET /large", "slow-reader", at_least=0.7)
