"""CPU and run-queue time of Go's threads against schedstat; they move over both cores."""

from live import loads, quality, scenarios, servers, srvprof


def test_sched_threads_go(t):
    server = servers.go(t)
    with srvprof.Attach(t, server.pid) as run:
        before = scenarios.idle(server.pid)
        loads.wrk(t, server.url("/hello"), conns=32, seconds=5)
        after = scenarios.idle(server.pid)
    quality.check_threads(t, run.recording.threads(), before, after, woken=True)
