"""20 rounds of attaching and detaching under load (200 with --long): the server lives, no request fails, and the
counters that enable its USDT probes are as they were."""

from live import hygiene, rounds, servers, srvprof
from live.outcome import Skip, check


def test_gc_rounds_python(t):
    server = servers.python(t, "collector.py")
    before = hygiene.semaphores(server.pid)
    if not before:
        raise Skip("this Python has no USDT probes")
    check(not any(before.values()), f"something else has probes on it: {before}")
    with srvprof.Attach(t, server.pid):
        during = hygiene.semaphores(server.pid)
    t.note(f"semaphores while attached: {during}")
    check(all(during[name] > 0 for name in ("python:gc__start", "python:gc__done")), f"no probe is enabled: {during}")
    rounds.check_rounds(t, server, "/alloc?n=200", rate=40)
    check(hygiene.semaphores(server.pid) == before, "semaphores are not as they were before")


test_gc_rounds_python.limit = 1500
