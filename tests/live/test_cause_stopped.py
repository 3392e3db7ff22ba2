"""SIGSTOP for 50 ms, twice a second: stopped, not an idle loop and not the run queue."""

from live import faults, loads, report, scenarios, servers
from live.outcome import check


def test_cause_stopped(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    mix = f"32,rate=400 GET {server.url('/hello')}"
    loads.warm_up(t, mix)
    stops = []
    recording, _ = scenarios.record(
        t, server, mix, meanwhile=lambda load: stops.append(faults.stop_and_continue(server.pid, load.running)))
    finding = report.expect(t, recording.report(), "GET /hello", "stopped", at_least=0.7)
    check(finding["stalls"] <= stops[0] + 1, f"{finding['stalls']} stalls, but {stops[0]} stops")
