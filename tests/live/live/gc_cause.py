"""A server whose collector makes its requests slow, and its twin that does not allocate."""

from . import loads, report, scenarios
from .outcome import check


FOREIGN = ("steal", "runq-neighbour")  # causes outside of the server, which nothing here provokes
FOREIGN_SHARE = 0.10
ATTEMPTS = 3


def _recorded(t, server, load, warm_up, args):
    """(report, route) of a load "CONNS,rate=N /path"; made again while others explain a part of what it shows."""
    clients, path = load.split()
    mix = f"{clients} GET {server.url(path)}"
    route = "GET " + path.split("?")[0]
    loads.warm_up(t, mix, seconds=warm_up)
    for attempt in range(1, ATTEMPTS + 1):
        recording, _ = scenarios.record(t, server, mix, args=args)
        found = recording.report()
        foreign = sum(f["share"] for cause, f in found.findings(route).items() if cause in FOREIGN)
        if foreign < FOREIGN_SHARE:
            break
        t.note(f"recording {attempt}: {100 * foreign:.0f} % of the gap is the hypervisor's or other processes'")
    return found, route


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
