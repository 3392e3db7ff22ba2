"""Run against run: a starved load generator is named, equal runs have no difference."""

import json

from live import faults, load_side, loads, process, scenarios, servers
from live.build import tool
from live.outcome import Skip, check

RUNS, SECONDS = 11, 7
MOST_MORE = 6
NO_RISE = 1.25  # times the server's own run-queue wait: more would tell without looking at the generator
CALM = 0.02  # of a CPU: what others may take from the server or the machine during a calm run


def diff(t, a, b, *args):
    out = t.path("diff.json")
    done = t.start([t.srvprof, "diff", a.path, b.path, "--json", "--force", "-o", out, *args], name="srvprof-diff")
    done.finish(60, ok=(0, 1))
    if done.popen.returncode != 0:
        return {"refused": done.err().strip()}
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def server_share(recording):
    """(run-queue wait, CPU) of the server's threads, seconds a second of the load."""
    load = load_side.joined(recording)
    seconds = (load["end_ns"] - load["begin_ns"]) / 1e9
    threads = recording.threads().values()
    return tuple(sum(thread[name] for thread in threads) / 1e9 / seconds for name in ("runq_ns", "cpu_ns"))


def starved(t, loops):
    """Busy loops beside Go and hey: the server's own wait does not tell, the generator's does."""
    server = servers.go(t, "fiber")
    argv = [tool("hey"), "-z", f"{SECONDS}s", "-c", 50, server.url("/hello")]
    quiet = load_side.attach_load(t, server.pid, argv)
    hogs = [faults.hog(t, number % 2, on=1, off=0, processes=1) for number in range(loops)]
    busy = load_side.attach_load(t, server.pid, argv)
    for hog in hogs:
        hog.stop()
    waits, cpus = zip(*(server_share(recording) for recording in (quiet, busy)))
    t.note(f"the server's run-queue wait {waits[0]:.2f} -> {waits[1]:.2f} s a second, "
           f"its CPU {cpus[0]:.2f} -> {cpus[1]:.2f}")
    result = diff(t, quiet, busy, "--mix-phases")
    check("refused" not in result, f"refused: {result}")
    for line in result["verdict"]:
        t.note(line)
    verdict = " ".join(result["verdict"])
    check(waits[1] <= NO_RISE * waits[0], f"the server itself waits longer for a CPU: {waits}")
    check(result["different"], "no difference is seen")
    check("throughput" in result["verdict"][0], f"throughput is not named: {result['verdict'][0]}")
    check("load generator (hey) starved in the second run" in verdict, f"the generator is not named: {verdict}")
    check(f"hog ({loops} processes)" in verdict, f"the busy loops are not named: {verdict}")


def test_diff_starved(t):
    starved(t, 8)


def test_diff_starved_by_two(t):
    starved(t, 2)


def calm_run(t, server, mix):
    """(recording, whether others left the server and the machine alone meanwhile, by the kernel's own figures)."""
    runq, stolen = process.run_queue_ns(server.pid), process.stolen_ns()
    recording = scenarios.record(t, server, mix, seconds=SECONDS)[0]
    runq, stolen = process.run_queue_ns(server.pid) - runq, process.stolen_ns() - stolen
    return recording, max(runq, stolen) <= CALM * SECONDS * 1e9


def pairs_with_a_difference(t, runs):
    wrong = []
    for a, b in zip(runs, runs[1:]):
        result = diff(t, a, b)
        if "refused" in result or result["different"]:
            wrong.append(result.get("refused") or result["verdict"][0])
    t.note(f"{len(runs) - 1} pairs of equal runs: {len(wrong)} differ or are refused; {'; '.join(wrong) or 'none'}")
    return wrong


def test_diff_equal(t):
    """Equal runs: at least nine of ten pairs have no difference.

    The answers come from a timer: what others take from the machine changes them by little, where it doubles those of
    a fraction of a millisecond of code, and two such runs are no equal ones. If pairs differ nevertheless, the runs
    that were left alone are judged, ten pairs of them, and a few runs are made for that.
    """
    server = servers.node(t, "blocker.js", cpu=scenarios.SERVER_CPU)
    mix = f"32,rate=500 GET {server.url('/sleep?ms=40')}"
    loads.warm_up(t, mix, seconds=3)
    runs = [calm_run(t, server, mix) for _ in range(RUNS)]
    wrong = pairs_with_a_difference(t, [recording for recording, _ in runs])
    if 10 * len(wrong) <= RUNS - 1:
        return
    while sum(calm for _, calm in runs) < RUNS and len(runs) < RUNS + MOST_MORE:
        runs.append(calm_run(t, server, mix))
    calm = [recording for recording, calm in runs if calm]
    if len(calm) < RUNS:
        raise Skip(f"{len(wrong)} of {RUNS - 1} pairs differ, and only {len(calm)} of {len(runs)} runs were left alone")
    wrong = pairs_with_a_difference(t, calm)
    check(10 * len(wrong) <= len(calm) - 1, f"equal runs differ: {wrong}")


def test_check_exit_code(t):
    """A breached limit ends with 6, a kept one with 0."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    recording, _ = scenarios.record(t, server, f"8,rate=400 GET {server.url('/hello')}", seconds=4)
    t.run([t.srvprof, "check", recording.path, "--p50", "<10s", "--lost", "<=0%"])
    t.run([t.srvprof, "check", recording.path, "--p50", "<1us"], ok=(6,))
    t.run([t.srvprof, "check", recording.path, "--p50", "soon"], ok=(2,))


test_diff_starved.limit = 90
test_diff_equal.limit = 240
