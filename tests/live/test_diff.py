"""Run against run: a starved load generator is named, equal runs have no difference."""

import json

from live import faults, load_side, loads, scenarios, servers
from live.build import tool
from live.outcome import Skip, check

RUNS, SECONDS = 11, 7
STARVED_SECONDS = 12  # a starved generator warms up slowly, and five seconds must be left to compare


def diff(t, a, b, *args):
    out = t.path("diff.json")
    done = t.start([t.srvprof, "diff", a.path, b.path, "--json", "--force", "-o", out, *args], name="srvprof-diff")
    done.finish(60, ok=(0, 1))
    if done.popen.returncode != 0:
        return {"refused": done.err().strip()}
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def starved(t, loops):
    """Busy loops beside Go and hey: the server's own wait does not tell, the generator's does."""
    server = servers.go(t, "fiber")
    argv = [tool("hey"), "-z", f"{SECONDS}s", "-c", 50, server.url("/hello")]
    quiet = load_side.attach_load(t, server.pid, argv)
    hogs = [faults.hog(t, number % 2, on=1, off=0, processes=1) for number in range(loops)]
    busy = load_side.attach_load(t, server.pid, argv)
    for hog in hogs:
        hog.stop()
    result = diff(t, quiet, busy, "--mix-phases")
    check("refused" not in result, f"refused: {result}")
    for line in result["verdict"]:
        t.note(line)
    verdict = " ".join(result["verdict"])
    check(result["different"], "no difference is seen")
    check("throughput" in result["verdict"][0], f"throughput is not named: {result['verdict'][0]}")
    check("load generator (hey) starved in the second run" in verdict, f"the generator is not named: {verdict}")
    check(f"hog ({loops} processes)" in verdict, f"the busy loops are not named: {verdict}")


def test_diff_starved(t):
    starved(t, 8)


def test_diff_starved_by_two(t):
    starved(t, 2)


def test_diff_equal(t):
    """Equal runs: at least nine of ten pairs have no difference."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    mix = f"16,rate=1500 GET {server.url('/hello')}"
    loads.warm_up(t, mix, seconds=3)
    runs = [scenarios.record(t, server, mix, seconds=SECONDS)[0] for _ in range(RUNS)]
    different, refused = [], []
    for a, b in zip(runs, runs[1:]):
        result = diff(t, a, b)
        if "refused" in result:
            refused.append(result["refused"])
        elif result["different"]:
            different.append(result["verdict"][0])
    t.note(f"{RUNS - 1} pairs of equal runs: {len(different)} different, {len(refused)} refused; "
           f"{'; '.join(different + refused) or 'no difference'}")
    if len(refused) > 2:
        raise Skip(f"the load was no steady one: {refused[0]}")
    check(10 * (len(different) + len(refused)) <= RUNS - 1, f"equal runs differ: {different + refused}")


def test_check_exit_code(t):
    """A breached limit ends with 6, a kept one with 0."""
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    recording, _ = scenarios.record(t, server, f"8,rate=400 GET {server.url('/hello')}", seconds=4)
    t.run([t.srvprof, "check", recording.path, "--p50", "<10s", "--lost", "<=0%"])
    t.run([t.srvprof, "check", recording.path, "--p50", "<1us"], ok=(6,))
    t.run([t.srvprof, "check", recording.path, "--p50", "soon"], ok=(2,))


test_diff_starved.limit = 90
test_diff_equal.limit = 200
