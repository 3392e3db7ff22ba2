"""srvprof leaves by itself before it harms."""

from live import bpf, loads, servers, srvprof
from live.outcome import check


def test_guard_overhead(t):
    """A limit that tracing a saturated server cannot keep: the probes go, the recording stays."""
    server = servers.node(t, "http.js")
    before = bpf.ids()
    run = srvprof.Attach(t, server.pid, ["--full", "--max-overhead", "1"])
    run.wait_live()
    watch = bpf.Watch(t, run.process.pid, before)
    count = loads.wrk(t, server.url("/hello"), seconds=10)
    run.process.finish(20, ok=(6,))
    watch.check_gone()
    check("watchdog" in run.process.err() and "limit 1 %" in run.process.err(), f"no reason is given: {run.process.err()}")
    report = run.recording.report()
    t.note(f"{report.header['end_reason']}; {report.requests} of {count.requests} requests recorded")
    check(1000 < report.requests < count.requests, "it did not end under way")
    check(count.errors == 0, f"the load had errors: {count}")
