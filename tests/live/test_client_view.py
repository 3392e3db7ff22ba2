"""Requests seen from the load generator's end: their lines add up, and agree with the client's own clock."""

from live import client_side, loads, servers, srvprof
from live.outcome import check


def view(t, server):
    mix = f"16 GET {server.url('/busy/{id}?us=200')}"
    loads.warm_up(t, mix)
    with srvprof.Attach(t, server.pid, ["--client"]) as run:
        load = loads.start_truth(t, mix, seconds=5, cpu=None).finish()
    table, report = run.recording.requests(), run.recording.report()
    t.note(client_side.words(client_side.part(report)))
    seen = client_side.check_sums(t, table)
    # A process that was there already is found within the first half second.
    check(seen > 0.6 * len(table), f"only {seen} of {len(table)} requests were seen from the client's end")
    client_side.check_truth(t, table, load.rows())


def test_client_view_node(t):
    view(t, servers.node(t, "http.js"))


def test_client_view_go(t):
    view(t, servers.go(t))


def test_client_view_off(t):
    """Not asked for: the report says that it was not traced, and why."""
    server = servers.node(t, "http.js")
    with srvprof.Attach(t, server.pid) as run:
        loads.truth(t, f"4,rate=200 GET {server.url('/hello')}", seconds=2)
    report = run.recording.report()
    check(report.data["client"] is None, "there is a client view although nothing was traced")
    said = [line["text"] for line in report.data["coverage"] if line["topic"] == "client"]
    check(any("--client" in text for text in said), f"the report does not say how to see it: {said}")
