"""argon2 clones threads that live for milliseconds: they hold the CPU that /health waits for."""

from live import loads, report, scenarios, servers


def test_cause_argon_clones(t):
    server = servers.node(t, "argon.js", packages=True, cpu=scenarios.SERVER_CPU)
    health = f"4,rate=200 GET {server.url('/health')}"
    loads.warm_up(t, health)
    recording, _ = scenarios.record(t, server, health, f"8,burst=1,once=1 POST {server.url('/login')}")
    report.expect(t, recording.report(), "GET /health", "runq-own-threads")
