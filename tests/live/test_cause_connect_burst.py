"""100 connects at once into Express, which accepts one connection a turn of its loop."""

from live import loads, report, scenarios, servers


def test_cause_connect_burst(t):
    server = servers.node(t, "express.js", packages=True, cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"16 GET {server.url('/hello')}", seconds=2)
    recording, _ = scenarios.record(t, server, f"100,burst=2.5 GET {server.url('/hello')}", seconds=7)
    report.expect(t, recording.report(), "GET /hello", "accept-queue", first=True,
                  allow=["behind-same-route", "runq-load-generator"])
