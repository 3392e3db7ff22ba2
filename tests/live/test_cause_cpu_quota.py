"""A quota of half a core: throttled; a hog on the other core is not blamed."""

from live import cgroup, faults, loads, report, scenarios, servers


def test_cause_cpu_quota(t):
    group = cgroup.cpu_quota(t, 0.5)
    server = servers.node(t, "blocker.js", cpu=scenarios.SERVER_CPU, cgroups=[group])
    mix = f"2 GET {server.url('/busy?us=1000')}"  # 2 of 50 requests a period meet its throttled half
    loads.warm_up(t, mix, seconds=2)
    faults.hog(t, scenarios.CLIENT_CPU, on=0.01, off=0.19, processes=1)
    recording, _ = scenarios.record(t, server, mix)
    t.note(f"throttled {group.throttled_ns() / 1e6:.0f} ms")
    report.expect(t, recording.report(), "GET /busy", "cpu-quota")
