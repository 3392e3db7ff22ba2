"""A CPU hog pinned to the server's core: named by pid and comm, the quota is not blamed."""

from live import faults, loads, report, scenarios, servers


def test_cause_cpu_hog(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    mix = f"16,rate=1000 GET {server.url('/hello')}"
    loads.warm_up(t, mix, seconds=2)
    faults.hog(t, scenarios.SERVER_CPU)
    recording, _ = scenarios.record(t, server, mix)
    # V8's own helper threads are pinned to the same core and share it with the hog.
    finding = report.expect(t, recording.report(), "GET /hello", "runq-neighbour", allow=["runq-own-threads"])
    report.culprit(finding, comm="hog")
