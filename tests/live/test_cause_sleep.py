"""Every 40th request sleeps in its handler's thread: neither a lock nor a downstream."""

from live import loads, report, scenarios, servers


def test_cause_sleep(t):
    server = servers.c_lock(t, cpu=scenarios.SERVER_CPU)
    mix = f"4,rate=200 GET {server.url('/nap')}"
    loads.warm_up(t, mix)
    recording, _ = scenarios.record(t, server, mix)
    report.expect(t, recording.report(), "GET /nap", "sleep", at_least=0.7)
