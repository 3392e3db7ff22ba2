"""One recording that is ended in some way: nothing stays loaded and what was recorded is readable."""

from . import bpf, loads, scenarios, servers, srvprof
from .outcome import check


def end_by(t, end, code, least=500):
    """Starts server, load and srvprof, calls end(server, attach), expects srvprof's exit code."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    before = bpf.ids()
    run = srvprof.Attach(t, server.pid)
    run.wait_live()
    watch = bpf.Watch(t, run.process.pid, before)
    loads.truth(t, f"8,rate=500 GET {server.url('/hello')}", seconds=3)
    end(server, run)
    run.process.finish(20, (code,))
    watch.check_gone()
    recorded = run.recording.report().requests
    t.note(f"{recorded} requests are readable")
    check(recorded >= least, f"only {recorded} of 1500 requests are in the recording")
    return run.process
