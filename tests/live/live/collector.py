"""What runtimes say of their own garbage collector, against what srvprof recorded."""

import json
import re
import time
import urllib.request

from . import loads, srvprof
from .outcome import check

_FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')
LONGEST_SHARE, LONGEST_MS = 0.05, 0.3  # how far the longest pause may be off: the larger of the two


class Truth:
    """An answer of a server's /gc, and when it was asked for and there."""

    def __init__(self, server):
        self.sent = time.monotonic_ns()
        with urllib.request.urlopen(server.url("/gc"), timeout=20) as answer:
            self.said = json.load(answer)
        self.received = time.monotonic_ns()


def spans(recording, name=None):
    """The recording's spans as {name, kind, reason, t_begin, t_end, ...}; times 0 where not known."""
    found = []
    for line in recording._run("dump", recording.path).out().splitlines():
        if not line.startswith("span "):
            continue
        row = {k: v.strip('"') for k, v in _FIELD.findall(line)}
        row = {**row, "t_begin": int(row.get("t_begin", 0)), "t_end": int(row.get("t_end", 0)),
               "t_stopping": int(row.get("t_stopping", 0)),
               "kind": row.get("kind", ""), "name": row["name"]}
        if name is None or row["name"] == name:
            found.append(row)
    return found


def record(t, server, *mixes, seconds=4, settle=0.3):
    """Records a load between two answers of /gc; returns (before, after, recording)."""
    with srvprof.Attach(t, server.pid) as run:
        before = Truth(server)
        loads.truth(t, *mixes, seconds=seconds)
        time.sleep(settle)
        after = Truth(server)
    return before, after, run.recording


def check_count(t, what, said, rows, before, after, slack=0):
    """`said` collections since `before`: as many spans ended between the two answers."""
    surely = sum(before.received <= row["t_end"] <= after.sent for row in rows)
    at_most = sum(before.sent <= row["t_end"] <= after.received for row in rows)
    t.note(f"{what}: the runtime counts {said}, recorded {surely}" + (f" to {at_most}" if at_most != surely else ""))
    check(said > 3, f"{what}: hardly any collection ({said}): the test's load is too small")
    check(surely - slack <= said <= at_most + slack, f"{what}: recorded {surely} to {at_most}, not {said}")


def check_longest(t, said_ms, rows, share=LONGEST_SHARE, least_ms=LONGEST_MS):
    longest = max((row["t_end"] - row["t_begin"] for row in rows if row["t_begin"] and row["t_end"]), default=0) / 1e6
    t.note(f"longest pause: the runtime says {said_ms:.2f} ms, recorded {longest:.2f} ms")
    check(abs(longest - said_ms) <= max(share * said_ms, least_ms), f"the longest pause is {said_ms} ms, recorded {longest} ms")


def check_source(t, recording):
    """The report says that collections were measured."""
    probes = [p for p in recording.report().header["probes"] if p["name"] == "gc"]
    check(probes and all(p["used"] for p in probes), f"collections are not measured: {probes}")
    t.note(probes[0]["detail"])
