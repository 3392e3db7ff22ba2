"""CPU and run-queue time of each thread against /proc/PID/task/*/schedstat.

The generator shares the server's core, so that there is run-queue time to compare.
"""

from live import loads, quality, scenarios, servers, srvprof


def test_sched_threads(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    with srvprof.Attach(t, server.pid, cpu=scenarios.CLIENT_CPU) as run:
        before = scenarios.idle(server.pid)
        loads.wrk(t, server.url("/hello"), conns=16, seconds=5, cpu=scenarios.SERVER_CPU)
        after = scenarios.idle(server.pid)
    quality.check_threads(t, run.recording.threads(), before, after)
