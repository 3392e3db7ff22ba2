"""Half a core: perf_hooks counts the throttled part of a pause as collecting; srvprof calls it the quota's."""

from live import cgroup, collector, loads, report, scenarios, servers
from live.outcome import check


def test_gc_quota(t):
    group = cgroup.cpu_quota(t, 0.5)
    server = servers.node(t, "gc.js", cpu=scenarios.SERVER_CPU, cgroups=[group], env={"LIVE_MB": 64})
    mix = f"2 GET {server.url('/alloc?kb=64')}"
    loads.warm_up(t, mix, seconds=2)
    collector.Truth(server)
    recording, _ = scenarios.record(t, server, mix)
    found = recording.report()
    report.expect(t, found, "GET /alloc", "cpu-quota", at_least=0.4, allow=["gc", "runq-own-threads", "behind-same-route"])
    pauses = [c for c in found.data["collections"] if c["name"] == "gc.pause"]
    kept_off = sum(c["kept_off_ns"] for c in pauses)
    t.note(f"pauses of {sum(c['time_ns'] for c in pauses) / 1e6:.0f} ms by the runtime's clock, of which it had no CPU "
           f"for {kept_off / 1e6:.0f} ms")
    check(kept_off > 0.2 * sum(c["time_ns"] for c in pauses), "hardly any pause was held back: the test's load is too small")
    table = recording.requests()
    collected = sum(v or 0 for v in table.column("gc_stop_ns"))
    held_back = sum(v or 0 for v in table.column("throttled_ns"))
    t.note(f"over all requests: {collected / 1e6:.0f} ms collecting, {held_back / 1e6:.0f} ms held back by the quota")
    check(collected < held_back, "more is charged to the collector than to the quota")
