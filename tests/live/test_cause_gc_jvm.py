"""Requests of a JVM that allocate wait for the collector; the twin that does not allocate has no such finding."""

from live import loads, report, scenarios, servers
from live.outcome import check


def test_cause_gc_jvm(t):
    flags = ["-Xmx192m", "-Xms192m", "-Xmn24m", "-XX:+UseSerialGC"]
    server = servers.java(t, "Collector", flags=flags, cpu=scenarios.SERVER_CPU, env={"LIVE_MB": 48})
    mix = f"4,rate=60 GET {server.url('/alloc?kb=384')}"
    loads.warm_up(t, mix, seconds=4)
    recording, _ = scenarios.record(t, server, mix)
    found = recording.report()
    finding = report.expect(t, found, "GET /alloc", "gc", at_least=0.3,
                            allow=["runq-own-threads", "handler-cpu", "page-fault", "lock"])
    first = max(found.findings("GET /alloc").values(), key=lambda f: f["share"])
    check(first["cause"] == "gc", f"the first finding is {first['cause']}")
    t.note(finding["title"])

    server.process.stop()
    idle = servers.java(t, "Collector", flags=flags, cpu=scenarios.SERVER_CPU)
    twin = f"4,rate=60 GET {idle.url('/work?us=2000')}"
    loads.warm_up(t, twin, seconds=4)
    recording, _ = scenarios.record(t, idle, twin)
    report.innocent(t, recording.report(), "GET /work", ["gc"])


test_cause_gc_jvm.limit = 90
