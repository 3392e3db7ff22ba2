"""Requests of Go that allocate wait for collections; the twin that does not allocate has no such finding."""

from live import loads, report, scenarios, servers
from live.outcome import check


def test_cause_gc_go(t):
    # Hardly any room beyond what lives: the collector always runs, and each request has to assist it.
    server = servers.go(t, "gc", cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 64, "GOGC": 20})
    mix = f"3,rate=40 GET {server.url('/alloc?kb=512')}"
    loads.warm_up(t, mix, seconds=2)
    recording, _ = scenarios.record(t, server, mix, args=["--gc-assists"])
    found = recording.report()
    finding = report.expect(t, found, "GET /alloc", "gc", at_least=0.3,
                            allow=["runq-own-threads", "handler-cpu", "page-fault", "behind-same-route"])
    first = max(found.findings("GET /alloc").values(), key=lambda f: f["share"])
    check(first["cause"] == "gc", f"the first finding is {first['cause']}")
    t.note(finding["title"])

    server.process.stop()
    idle = servers.go(t, "gc", cpu=scenarios.SERVER_CPU)
    twin = f"8,rate=60 GET {idle.url('/work?us=2000')}"
    loads.warm_up(t, twin, seconds=2)
    recording, _ = scenarios.record(t, idle, twin, args=["--gc-assists"])
    report.innocent(t, recording.report(), "GET /work", ["gc"])


test_cause_gc_go.limit = 90
