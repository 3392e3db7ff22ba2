"""hey's and autocannon's own figures against what passed at their end of the connections, as the report joins them."""

import json
import re

from live import load_side, scenarios, servers
from live.build import tool
from live.outcome import check

MS = 1_000_000


def compare(t, script, argv, printed, resolution_ns, percentiles):
    """printed(text): {"mean" or percentile: ns} of the tool's own output.

    A core each, and the tool always busy: what its code adds before the send and after the read stays below its steps.
    """
    server = servers.node(t, script, cpu=scenarios.SERVER_CPU)
    recording = load_side.attach_load(t, server.pid, argv(server), cpu=scenarios.CLIENT_CPU)
    load = load_side.joined(recording)
    load_side.check_counts(t, load)
    check(load["client_kind"] == "as sent", f"the figures are taken for {load['client_kind']}")
    check(load["client_resolution_ns"] == resolution_ns, f"the resolution is {load['client_resolution_ns']} ns")
    whole = load["whole"]
    check(whole["seen_requests"] >= 0.99 * load["counted"], f"only {whole['seen_requests']} were seen at its sockets")
    told = printed(load_side.captured(recording))
    rows = {"mean": (whole["client_mean_ns"], whole["client_seen_mean_ns"])}
    for p in percentiles:
        row = load_side.percentile(whole, p)
        rows[p] = (row["client_ns"], row["client_seen_ns"])
    t.note("ms, printed / at its sockets: " + ", ".join(
        f"{what if what == 'mean' else f'p{what}'} {told[what] / MS:.2f} / {seen / MS:.3f}"
        for what, (_, seen) in rows.items()))
    for what, (joined, seen) in rows.items():
        check(abs(joined - told[what]) < 1000, f"{what}: the report has {joined} ns, {told[what]:.0f} were printed")
        check(abs(seen - told[what]) <= resolution_ns,
              f"{what}: {seen / MS:.3f} ms at its sockets, {told[what] / MS:.2f} printed")


def printed_by_hey(text):
    found = {int(p): float(s) * 1e9 for p, s in re.findall(r"(\d+)% in ([\d.]+) secs", text)}
    found["mean"] = float(re.search(r"Average:\s+([\d.]+) secs", text)[1]) * 1e9
    return found


def test_load_view_hey(t):
    """Steps of 0.1 ms. Its tail holds what its own collector and scheduler do after the read: the middle is compared."""
    compare(t, "http.js", lambda server: [tool("hey"), "-z", "4s", "-c", 8, server.url("/hello")], printed_by_hey,
            MS // 10, (50, 90))


def printed_by_autocannon(text):
    latency = json.loads(text[text.index("{"):])["latency"]
    return {"mean": latency["average"] * MS, **{p: latency[f"p{p}"] * MS for p in (50, 90, 99)}}


def test_load_view_autocannon(t):
    """Whole ms."""
    script = t.cache.node_modules() + "/autocannon/autocannon.js"
    compare(t, "blocker.js", lambda server: [tool("node"), script, "-j", "-c", 3, "-d", 4, server.url("/busy?us=3000")],
            printed_by_autocannon, MS, (50, 90, 99))


test_load_view_autocannon.limit = 700  # npm packages are installed on first use
