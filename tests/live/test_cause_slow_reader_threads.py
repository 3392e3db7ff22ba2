"""The same against a server whose thread blocks in send()."""

from live import loads, report, scenarios, servers


def test_cause_slow_reader_threads(t):
    server = servers.c_lock(t, cpu=scenarios.SERVER_CPU)
    fast = f"8,rate=60 GET {server.url('/large?kb=512')}"
    loads.warm_up(t, fast)
    recording, _ = scenarios.record(t, server, fast, f"4,slow=3000000 GET {server.url('/large?kb=4096')}")
    report.expect(t, recording.report(), "GET /large", "slow-reader", at_least=0.7)
