"""A mutex that the thread "holder" keeps for 20 ms of every 100 ms: the holder is named."""

from live import loads, report, scenarios, servers


def test_cause_lock(t):
    server = servers.c_lock(t, cpu=scenarios.SERVER_CPU)
    mix = f"4,rate=200 GET {server.url('/locked')}"
    loads.warm_up(t, mix)
    recording, _ = scenarios.record(t, server, mix, f"2,rate=50 GET {server.url('/health')}")
    result = recording.report()
    finding = report.expect(t, result, "GET /locked", "lock", at_least=0.7)
    report.culprit(finding, comm="holder")
    report.innocent(t, result, "GET /health", ["lock"])
