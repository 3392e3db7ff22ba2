"""100 connects at once into Express at half a core: the accept queue, split into the loop's work and throttling."""

import re

from live import cgroup, loads, report, scenarios, servers
from live.outcome import check


def test_cause_connect_burst_quota(t):
    group = cgroup.cpu_quota(t, 0.5)
    server = servers.node(t, "express.js", packages=True, cpu=scenarios.SERVER_CPU, cgroups=[group])
    loads.warm_up(t, f"16 GET {server.url('/hello')}", seconds=2)
    recording, _ = scenarios.record(t, server, f"100,burst=2.5 GET {server.url('/hello')}", seconds=7)
    result = recording.report()
    # Allowed: nothing. What the loop did and how long it was throttled is part of the accept queue.
    found = report.expect(t, result, "GET /hello", "accept-queue", first=True)
    bursts = [group["findings"] for group in result.groups if group["first_requests"] and group["findings"]]
    named = [findings[0]["cause"] for findings in bursts]
    check(set(named) == {"accept-queue"}, f"the first findings are {named}")
    separate = {f["cause"] for findings in bursts for f in findings if f["share"] > report.BLAME} - {"accept-queue"}
    check(not separate, f"separate findings for the same requests: {separate}")
    split = [line for line in found["evidence"] if "accepting thread" in line]
    t.note("; ".join(split))
    check(split, f"the wait is not split: {found['evidence']}")
    for word in ("worked for others", "was throttled"):
        amount = re.search(word + r" ([\d.,]+) (us|ms|s)", split[0])
        check(amount and float(amount[1].replace(",", "")) > 0, f"no {word!r} in {split[0]!r}")


test_cause_connect_burst_quota.limit = 700  # npm packages are installed on first use
