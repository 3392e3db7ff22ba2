"""hey gets hardly any CPU, the server idles: look at the client, not at the server's run queue."""

from live import faults, loads, report, scenarios, servers, srvprof
from live.outcome import check


def test_cause_client_starved(t):
    server = servers.node(t, "http.js", cpu=scenarios.SERVER_CPU)
    loads.warm_up(t, f"16 GET {server.url('/hello')}")
    for _ in range(6):  # each a session of its own, with a share of the core of its own
        faults.hog(t, scenarios.CLIENT_CPU, on=1, off=0, processes=1)
    with srvprof.Attach(t, server.pid) as run:
        count = loads.hey(t, server.url("/hello"), seconds=6, cpu=scenarios.CLIENT_CPU)
    t.note(str(count))
    result = run.recording.report()
    blamed = [f["cause"] for group in result.groups for f in group["findings"]]
    verdict = " ".join(result.data["verdict"]["text"])
    check("client-side" in blamed or "client" in verdict, f"the client is not blamed: {blamed}; {verdict}")
    report.innocent(t, result, "GET /hello", ["cpu-quota", "downstream", "lock"])
    # Whatever else held the server's core for a while: those who burn the client's did not.
    neighbour = result.findings("GET /hello").get("runq-neighbour", {})
    culprits = [c.get("comm") for c in neighbour.get("culprits", [])]
    check("hog" not in culprits, f"the hogs of the client's core are blamed: {culprits}")
