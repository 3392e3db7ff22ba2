"""A server whose collector makes its requests slow, and its twin that does not allocate."""

from . import loads, report, scenarios
from .outcome import check


def _recorded(t, server, load, warm_up, args):
    """(report, route) of a load "CONNS,rate=N /path"."""
    clients, path = load.split()
    mix = f"{clients} GET {server.url(path)}"
    loads.warm_up(t, mix, seconds=warm_up)
    recording, _ = scenarios.record(t, server, mix, args=args)
    return recording.report(), "GET " + path.split("?")[0]


def check_blamed(t, server, load, warm_up=2, args=(), **expected):
    """The collector is the first finding, which is returned; the server ends. expected: as of report.expect()."""
    found, route = _recorded(t, server, load, warm_up, args)
    finding = report.expect(t, found, route, "gc", **expected)
    first = max(found.findings(route).values(), key=lambda f: f["share"])
    check(first["cause"] == "gc", f"the first finding is {first['cause']}")
    t.note(finding["title"])
    server.process.stop()
    return finding


def check_innocent(t, server, load, warm_up=2, args=()):
    """The twin: the collector is not blamed."""
    found, route = _recorded(t, server, load, warm_up, args)
    report.innocent(t, found, route, ["gc"])
