"""A database that answers every 50th question late: named by address and port."""

from live import loads, report, scenarios, servers


def test_cause_downstream(t):
    database = servers.node(t, "downstream.js", cpu=scenarios.CLIENT_CPU)
    server = scenarios.blocker(t, DOWNSTREAM=database.address)
    mix = f"16,rate=150 GET {server.url('/db')}"
    loads.warm_up(t, mix)
    recording, _ = scenarios.record(t, server, mix)
    finding = report.expect(t, recording.report(), "GET /db", "downstream", at_least=0.7)
    report.evidence_mentions(finding, database.address)
