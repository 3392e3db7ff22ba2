"""The same slow database behind Go's net/http, whose goroutines move over threads."""

from live import loads, report, scenarios, servers


def test_cause_downstream_go(t):
    database = servers.node(t, "downstream.js", cpu=scenarios.CLIENT_CPU)
    server = servers.go(t, cpu=scenarios.SERVER_CPU, env={"DOWNSTREAM": database.address})
    mix = f"16,rate=150 GET {server.url('/db')}"
    loads.warm_up(t, mix)
    recording, _ = scenarios.record(t, server, mix)
    finding = report.expect(t, recording.report(), "GET /db", "downstream", at_least=0.7)
    report.evidence_mentions(finding, database.address)
