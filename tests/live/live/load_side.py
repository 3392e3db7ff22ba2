"""Steps of the tests about the load's own side."""

import json
import os
import re
import sys

from . import srvprof
from .build import TESTS, tool
from .outcome import Failure, check

STAGES = os.path.join(TESTS, "load", "stages.py")


def attach_load(t, pid, argv, args=(), name="run", cpu=None):
    """`srvprof attach -- argv` to its end; returns the Recording."""
    path = t.path(f"{name}{len(os.listdir(t.dir))}.srvprof")
    t.run([t.srvprof, "attach", "-p", pid, "-o", path, "--no-report", *args, "--", *argv],
          name="srvprof-attach", timeout=50, cpu=cpu)
    return srvprof.Recording(t, path)


def captured(recording):
    """What a load command printed, as the recording keeps it."""
    line = next((line for line in recording.dump().split("\n") if line.startswith("load ")), "")
    match = re.search(r' output="((?:[^"\\]|\\.)*)"', line)
    check(match, f"the recording has no output of a load command: {line[:200]}")
    named = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else named.get(m[1], m[1]),
                  match[1])


def joined(recording):
    """The one load of a recording's report."""
    loads = recording.report().data["loads"]
    check(len(loads) == 1, f"{len(loads)} loads are joined, not one")
    check(not loads[0]["problem"], f"not joined: {loads[0]['problem']}")
    return loads[0]


def check_counts(t, load):
    """The generator's count and the recorded one agree but for requests in flight at its end."""
    more = load["recorded"] - load["counted"]
    t.note(f"{load['source']}: counted {load['counted']}, recorded {load['recorded']} ({more:+d}, up to "
           f"{load['open_at_end']} in flight); loop {load['loop']}; {'; '.join(load['gap_lines'][:2])}")
    check(load["counted"] > 500, f"hardly any load: {load['counted']}")
    check(load["counts_agree"], f"the counts do not agree: {load['count_lines']}")


def check_autocannon(t, server, seconds):
    """autocannon, started by srvprof."""
    script = t.cache.node_modules() + "/autocannon/autocannon.js"
    argv = [tool("node"), script, "-j", "-c", 20, "-d", seconds, server.url("/hello")]
    check_counts(t, joined(attach_load(t, server.pid, argv)))


def check_vegeta(t, server, seconds):
    """vegeta, an open loop, joined afterwards by its file's wall clock."""
    vegeta = t.cache.vegeta()
    results, text, targets = t.path("vegeta.gob"), t.path("vegeta.json"), t.path("targets.txt")
    with open(targets, "w", encoding="ascii") as file:
        file.write(f"GET {server.url('/hello')}\n")
    with srvprof.Attach(t, server.pid) as run:
        t.run([vegeta, "attack", "-rate", "500", "-duration", f"{seconds}s", "-max-body", "0", "-output", results,
               "-targets", targets], name="vegeta")
    t.run([vegeta, "encode", "-to", "json", "-output", text, results], name="vegeta-encode")
    load = joined(run.recording_with("--load", text))
    check_counts(t, load)
    check(load["loop"] == "open", f"vegeta is taken for a {load['loop']} loop: {load['loop_why']}")
    row = percentile(load["whole"], 50)
    check(row["client_ns"] >= row["server_ns"], f"the client is faster than the server: {row}")


def start_stages(t, url, *stages, think=20, cpu=None):
    """tests/load/stages.py in the background; finish_stages() waits for it."""
    words = [word for stage in stages for word in ("--stage", stage)]
    return t.start([sys.executable or tool("python3"), STAGES, "--think", think, "--csv", t.path("stages.csv"),
                    *words, url], name="stages.py", cpu=cpu)


def finish_stages(process, seconds):
    summary = json.loads(process.finish(seconds + 15).out())
    check(summary["errors"] == 0 and summary["requests"] > 100, f"the client failed: {summary}")
    return summary


def percentile(part, p):
    for row in part["percentiles"]:
        if row["percentile"] == p:
            return row
    raise Failure(f"no p{p} in {part['percentiles']}")


def wall_clock(recording):
    """A function from the recording's clock (ns) to Unix seconds, by its clock pairs."""
    for line in recording.dump().split("\n"):
        if line.startswith("clock "):
            pair = dict(word.split("=") for word in line.split()[1:])
            return lambda ns: (ns - int(pair["t"]) + int(pair["realtime_ns"])) / 1e9
    raise Failure("the recording has no clock pair")
