"""The steps that several tests share."""

import time

from . import loads, process, quality, report, servers, srvprof
from .outcome import check

SERVER_CPU, CLIENT_CPU = 0, 1


def count_load(t, pid, load, in_flight=64, args=()):
    """Records one whole load; checks that nothing is missing and that every ledger adds up."""
    with srvprof.Attach(t, pid, args) as run:
        count = load()
    recording = run.recording
    quality.check_complete(t, recording.report(), count, in_flight)
    quality.check_exact(t, recording.requests())
    return recording


def record(t, server, *mixes, seconds=6, meanwhile=None, args=()):
    """Records a server on its own core under a truthclient load from the other core.

    meanwhile(load) runs beside the load. Returns (recording, finished load).
    """
    with srvprof.Attach(t, server.pid, args, cpu=CLIENT_CPU) as run:
        load = loads.start_truth(t, *mixes, seconds=seconds, cpu=CLIENT_CPU)
        if meanwhile:
            meanwhile(load)
        load.finish()
    t.note(f"load: {load.summary['requests']} requests, " + ", ".join(
        f"p50 {mix['p50_ms']:g} p99 {mix['p99_ms']:g} ms" for mix in load.summary["mixes"]))
    return run.recording, load


def check_truth(t, server, handler_log, *mixes):
    """Ids in the paths: srvprof's times against the client's clock and the handler's."""
    loads.warm_up(t, *mixes)
    recording, load = record(t, server, *mixes, seconds=6)
    server.process.stop()  # now it writes the handlers' log
    table = recording.requests()
    rows = load.rows()
    handler = quality.read_handler_log(handler_log, min(row["send_ns"] for row in rows))
    quality.check_inside_client(t, table, rows)
    quality.check_handler_inside(t, table, handler)
    quality.check_exact(t, table)
    quality.check_cpu(t, table, handler)


def check_explained(t, server, path, args=()):
    """Saturation: little of the slowest requests may stay unexplained."""
    with srvprof.Attach(t, server.pid, args) as run:
        loads.wrk(t, server.url(path), seconds=5)
    table = run.recording.requests()
    quality.check_exact(t, table)
    quality.check_explained(t, table)


# Of a calm run: how long the server may have waited for its core, as a share of the time, and what
# the hypervisor may have taken.
CALM_RUNQ = 0.004
CALM_STEAL_NS = 20_000_000
# What others did to the machine. In a run that was not calm by schedstat's and the hypervisor's own
# figures they are true findings.
OUTSIDE = {"steal", "runq-neighbour", "runq-load-generator", "observer"}


def check_quiet(t, start, path, rate, runs=10, seconds=3):
    """Light load, generator on the other core: at least 9 of 10 runs find nothing.

    Where others did disturb a run, which the kernel's own figures tell, not srvprof, findings that
    name the disturbance are right; the server itself is to blame in none.
    """
    server = start()
    mix = f"16,rate={rate} GET {server.url(path)}"
    loads.warm_up(t, mix, seconds=2)
    wrong, calm, outside = [], 0, 0
    for _ in range(runs):
        runq, stolen = process.run_queue_ns(server.pid), process.stolen_ns()
        recording, _ = record(t, server, mix, seconds=seconds)
        runq, stolen = process.run_queue_ns(server.pid) - runq, process.stolen_ns() - stolen
        disturbed = runq > CALM_RUNQ * seconds * 1e9 or stolen > CALM_STEAL_NS
        calm += not disturbed
        found = recording.report().findings()
        if disturbed and found and all(cause in OUTSIDE for cause in found):
            outside += 1
        elif found:
            wrong.append(report.shares(found))
    t.note(f"{runs} runs: {calm} were calm; no finding in {runs - outside - len(wrong)}, only the disturbance "
           f"named in {outside}; other findings in {len(wrong)}: {'; '.join(wrong) or 'none'}")
    check(10 * len(wrong) <= runs, f"{len(wrong)} of {runs} quiet runs have findings: {'; '.join(wrong)}")


def blocker(t, **env):
    """tests/servers/node/blocker.js on the server's core, warm."""
    server = servers.node(t, "blocker.js", cpu=SERVER_CPU, env=env)
    loads.warm_up(t, f"8 GET {server.url('/health')}")
    return server


def idle(pid):
    """Waits until no thread of a process runs for 0.1 s, and returns its schedstat."""
    def settled():
        before = process.schedstat(pid)
        time.sleep(0.1)
        return before if process.schedstat(pid) == before else None

    return process.wait_for(settled, f"process {pid} to idle", timeout=10)
