"""The gap between client and server: a generator that shares the server's CPUs, and one with its own."""

import time

from live import client_side, load_side, scenarios, servers
from live.build import tool
from live.outcome import check

NAMED = 0.9  # of the difference between both ends
SECONDS, CONNS = 6, 100


def hey(t, server, cpu=None):
    argv = [tool("hey"), "-z", f"{SECONDS}s", "-c", CONNS, server.url("/hello")]
    recording = load_side.attach_load(t, server.pid, argv, cpu=cpu)
    report = recording.report()
    load = load_side.joined(recording)
    gap = load["client_gap"]
    check(gap is not None, f"the client's end was not seen: {load['gap_lines']}")
    t.note(client_side.words(client_side.part(report)))
    t.note(f"difference {gap['difference_ns'] / 1e6:.3f} ms: run queue {gap['runq_ns'] / 1e6:.3f}, own code "
           f"{gap['own_ns'] / 1e6:.3f}, send {gap['send_ns'] / 1e6:.3f}, not named {gap['other_ns'] / 1e6:.3f}")
    return report, gap


def waits_for_cpu(report):
    """The finding that the generator's threads waited for a CPU, or None."""
    for group in report.groups:
        for finding in group["findings"]:
            if finding["cause"] == "client-side" and finding["share_is_of_client"]:
                return finding
    return None


def test_client_gap_shared(t):
    """100 connections, server and generator on the same two cores: the generator's run queue is named."""
    server = servers.go(t)
    report, gap = hey(t, server)
    named = 1 - gap["other_ns"] / gap["difference_ns"]
    t.note(f"{100 * named:.1f} % of the difference are named")
    check(named >= NAMED, f"only {100 * named:.0f} % of the difference are named")
    finding = waits_for_cpu(report)
    check(finding is not None, f"the generator's wait is no finding: {report.data['verdict']['text']}")
    t.note(finding["evidence"][0])
    check("hey" in finding["evidence"][0], f"hey is not named: {finding['evidence']}")
    check("load generator" in report.data["verdict"]["text"][0], f"the verdict blames another: {report.data['verdict']}")


def test_client_gap_pinned(t):
    """The same with a core each: that finding disappears."""
    server = servers.go(t, cpu=scenarios.SERVER_CPU)
    time.sleep(0.2)
    report, gap = hey(t, server, cpu=scenarios.CLIENT_CPU)
    finding = waits_for_cpu(report)
    check(finding is None, f"a wait of the generator is blamed: {finding and finding['evidence']}")
    check(gap["runq_ns"] < 0.3 * gap["difference_ns"], "its threads still wait for a CPU")
