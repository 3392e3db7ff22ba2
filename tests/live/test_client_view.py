"""Requests seen from the load generator's end: their lines add up, and agree with the client's own clock."""

from live import client_side, load_side, loads, servers, srvprof
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


def near(what, a, b, limit=0.02):
    check(abs(a - b) <= limit * b, f"{what}: {a / 1e6:.3f} ms, not {b / 1e6:.3f} ms")


def test_client_view_formats(t):
    """The same requests as files of vegeta and k6: both ends' figures are the same within 2 %."""
    server = servers.node(t, "http.js")
    url = server.url("/busy/{id}?us=200")
    with srvprof.Attach(t, server.pid, ["--client"]) as run:
        load = loads.start_truth(t, f"16 GET {url}", seconds=4, cpu=None).finish()
    pairs = client_side.pairs(run.recording.requests(), load.rows())
    rows, view = [row for row, _ in pairs], sorted(latency for _, latency in pairs)
    truth = [row["recv_ns"] - row["send_ns"] for row in rows]
    for what, a, b in zip(("p45..p55", "above p99"), client_side.middle_and_tail(view),
                          client_side.middle_and_tail(truth)):
        t.note(f"mean of {what}: {a / 1e6:.3f} ms by the recording, {b / 1e6:.3f} by the client")
        near(what, a, b)
    unix = load_side.wall_clock(run.recording)
    for name, write in (("vegeta.csv", client_side.write_vegeta), ("k6.json", client_side.write_k6)):
        write(t.path(name), rows, unix, server.url("/busy"))
        joined = load_side.joined(run.recording_with("--load", t.path(name)))
        for p in (50, 99):
            told = load_side.percentile(joined["whole"], p)["client_ns"]
            near(f"{name}: p{p}", told, view[min(len(view) - 1, int(p / 100 * len(view)))])


def test_client_view_off(t):
    """Not asked for: the report says that it was not traced, and why."""
    server = servers.node(t, "http.js")
    with srvprof.Attach(t, server.pid) as run:
        loads.truth(t, f"4,rate=200 GET {server.url('/hello')}", seconds=2)
    report = run.recording.report()
    check(report.data["client"] is None, "there is a client view although nothing was traced")
    said = [line["text"] for line in report.data["coverage"] if line["topic"] == "client"]
    check(any("--client" in text for text in said), f"the report does not say how to see it: {said}")
