"""Throttled time against the cgroup's cpu.stat: the one busy thread of a saturated Node server."""

from live import cgroup, loads, scenarios, servers, srvprof
from live.outcome import check


def test_sched_throttled(t):
    group = cgroup.cpu_quota(t, 0.5)
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU, cgroups=[group])
    loads.warm_up(t, f"8 GET {server.url('/hello')}", seconds=2)
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        before = group.throttled_ns()
        loads.wrk(t, server.url("/hello"), conns=32, seconds=6, cpu=scenarios.CLIENT_CPU)
        truth = group.throttled_ns() - before
    check(truth > 500_000_000, "the quota hardly throttled")
    threads = run.recording.threads()
    check(server.pid in threads, "the loop's thread is not in the recording")
    mine = threads[server.pid]["throttled_ns"]
    t.note(f"throttled {mine / 1e6:.0f} ms, cpu.stat {truth / 1e6:.0f} ms ({100 * (mine / truth - 1):+.1f} %)")
    check(abs(mine - truth) <= 0.10 * truth, f"throttled {mine} ns, cpu.stat says {truth}")
