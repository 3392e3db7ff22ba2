"""What a JSON report says."""

from .outcome import Failure, check

CAUSES = {
    "stopped", "accept-queue", "cpu-quota", "steal", "runq-own-threads", "runq-load-generator", "observer", "runq-neighbour", "gc",
    "behind-other-route", "behind-same-route", "downstream", "lock", "page-fault", "disk", "slow-reader", "pool",
    "handler-cpu", "sleep", "client-side",
}
BLAME = 0.15  # a cause with a smaller share of the gap is not blamed


class Report:
    def __init__(self, data):
        check(data.get("schema") == "srvprof.report/1", f"unknown schema {data.get('schema')!r}")
        self.data = data
        self.header = data["header"]
        self.groups = data["groups"]

    @property
    def requests(self):
        return self.header["requests"]

    def losses(self):
        """{reason: count} of what was lost."""
        return {loss["reason"]: loss["count"] for loss in self.header["losses"] if loss["count"]}

    def governor_engaged(self):
        return self.header["governor"]["engaged"]

    def group(self, route, first=False):
        """The group of a route with most requests: its steady phase, if the load was one.

        first: of the first requests of each connection, which are kept apart.
        """
        groups = [g for g in self.groups if g["route"] == route and g["first_requests"] == first]
        if not groups:
            raise Failure(f"no group of {route}; there are {sorted({g['route'] for g in self.groups})}")
        return max(groups, key=lambda group: group["requests"])

    def findings(self, route=None, first=False):
        """{cause: finding} about the gap, of one group; of all groups (the largest share) without a route."""
        found = {}
        for group in [self.group(route, first)] if route else self.groups:
            for finding in group["findings"]:
                check(finding["cause"] in CAUSES, f"unknown cause {finding['cause']!r}")
                before = found.get(finding["cause"])
                if not finding["of_body"] and (before is None or finding["share"] > before["share"]):
                    found[finding["cause"]] = finding
        return found


def shares(found):
    text = ", ".join(f"{cause} {100 * finding['share']:.0f} %" for cause, finding in
                     sorted(found.items(), key=lambda item: -item[1]["share"]))
    return text or "no finding"


def _look(t, report, route, first):
    group, found = report.group(route, first), report.findings(route, first)
    t.note(f"{route}{' (first of a connection)' if first else ''}, {group['phase']}, {group['requests']} requests, "
           f"gap {group['gap_ns'] / 1e6:.1f} ms: {shares(found)}{'; ' + group['not_explained_why'] if not found else ''}")
    return found


def expect(t, report, route, cause, at_least=0.5, allow=(), first=False):
    """`cause` has `at_least` of the route's gap; no other cause is blamed but those in `allow`.

    first: asks about the first requests of connections, which are kept apart.
    """
    found = _look(t, report, route, first)
    check(cause in found, f"{route}: {cause} is not among the findings: {shares(found)}")
    check(found[cause]["share"] >= at_least,
          f"{route}: {cause} has {100 * found[cause]['share']:.0f} % of the gap, not {100 * at_least:.0f} %")
    check(found[cause]["evidence"], f"{route}: {cause} is claimed without evidence")
    check(found[cause]["requests"] > 0 and found[cause]["stalls"] > 0, f"{route}: {cause} counts no stall")
    blamed = {c for c, finding in found.items() if c != cause and finding["share"] > BLAME}
    check(blamed <= set(allow), f"{route}: look-alikes are blamed: {shares(found)}")
    return found[cause]


def innocent(t, report, route, causes):
    """None of `causes` is blamed for the route's gap."""
    found = _look(t, report, route, False)
    blamed = {c for c, finding in found.items() if c in causes and finding["share"] > BLAME}
    check(not blamed, f"{route}: blames {', '.join(sorted(blamed))}: {shares(found)}")


def culprit(finding, **wanted):
    """One of the finding's culprits is `wanted` (pid=, comm=)."""
    named = finding.get("culprits", [])
    check(any(all(c.get(k) == v for k, v in wanted.items()) for c in named),
          f"{finding['cause']}: the culprit {wanted} is not named, but {named}")


def evidence_mentions(finding, text):
    said = " ".join(str(line) for line in finding["evidence"]) + str(finding.get("culprits", ""))
    check(text in said, f"{finding['cause']}: the evidence does not mention {text!r}: {said[:300]}")
