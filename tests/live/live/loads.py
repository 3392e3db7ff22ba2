"""Load generators, and what they printed as numbers."""

import csv
import json
import re

from .build import tool
from .outcome import Failure, check


class Count:
    """What a generator counted. errors: everything that was not a 2xx answer."""

    def __init__(self, name, requests, seconds, errors):
        self.name = name
        self.requests = requests
        self.seconds = seconds
        self.errors = errors

    def __str__(self):
        return f"{self.name}: {self.requests} requests in {self.seconds:g} s, {self.errors} errors"


def _found(pattern, text, who):
    match = re.search(pattern, text)
    if not match:
        raise Failure(f"{who} printed no {pattern!r}: {text[-300:]}")
    return match


def _generate(t, argv, seconds, cpu, meanwhile):
    """Runs a generator to its end and returns its output; meanwhile() is called while it runs."""
    started = t.start(argv, cpu=cpu)
    if meanwhile:
        meanwhile()
    return started.finish(seconds + 25).out()


def wrk(t, url, conns=64, seconds=8, body=None, cpu=None, meanwhile=None):
    """wrk, closed loop; body: path of a JSON file to POST."""
    argv = [tool("wrk"), "-t2", f"-c{conns}", f"-d{seconds}s", "--timeout", "20s"]
    if body:
        script = t.path("post.lua")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"local f = io.open('{body}', 'rb')\nwrk.body = f:read('*a')\nf:close()\n"
                       "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\n")
        argv += ["-s", script]
    text = _generate(t, [*argv, url], seconds, cpu, meanwhile)
    match = _found(r"(\d+) requests in ([\d.]+)(m?)s", text, "wrk")
    errors = sum(int(n) for line in re.findall(r"Socket errors:.*", text) for n in re.findall(r"\d+", line))
    errors += sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    return Count("wrk", int(match[1]), float(match[2]), errors)


def hey(t, url, conns=64, seconds=8, keepalive=True, cpu=None, meanwhile=None):
    argv = [tool("hey"), "-z", f"{seconds}s", "-c", conns, *([] if keepalive else ["-disable-keepalive"])]
    text = _generate(t, [*argv, url], seconds, cpu, meanwhile)
    by_status = {int(s): int(n) for s, n in re.findall(r"\[(\d{3})\]\s+(\d+) responses", text)}
    errors = sum(int(n) for n in re.findall(r"^\s*\[(\d+)\]\s+\D", text, re.M))
    errors += sum(n for status, n in by_status.items() if status >= 300)
    total = float(_found(r"Total:\s+([\d.]+) secs", text, "hey")[1])
    return Count("hey", sum(by_status.values()), total, errors)


def autocannon(t, url, conns=64, seconds=8, cpu=None, meanwhile=None):
    script = t.cache.node_modules() + "/autocannon/autocannon.js"
    argv = [tool("node"), script, "-j", "-c", conns, "-d", seconds, url]
    text = _generate(t, argv, seconds, cpu, meanwhile)
    result = json.loads(text)
    return Count("autocannon", result["2xx"], result["duration"],
                 result["errors"] + result["timeouts"] + result["non2xx"])


class TruthRun:
    """A running or finished truthclient."""

    def __init__(self, t, mixes, seconds, cpu):
        self.csv_path = t.path("truth.csv")
        argv = [t.cache.truthclient(), "-d", seconds, "-csv", self.csv_path]
        for mix in mixes:
            argv += ["-mix", mix]
        self.seconds = seconds
        self.process = t.start(argv, name="truthclient", cpu=cpu)
        self.summary = None

    def finish(self):
        self.summary = json.loads(self.process.finish(self.seconds + 15).out())
        check(self.summary["requests"] > 0, "the load client got no answer at all")
        return self

    def running(self):
        return self.process.running()

    def rows(self):
        """[{column: int}] of every request."""
        with open(self.csv_path, encoding="ascii", newline="") as file:
            return [{k: int(v) for k, v in row.items()} for row in csv.DictReader(file)]


def start_truth(t, *mixes, seconds=6, cpu=1):
    """Starts truthclient in the background; each mix: 'CONNS[,key=value] METHOD URL [BODY]'."""
    return TruthRun(t, mixes, seconds, cpu)


def truth(t, *mixes, seconds=6, cpu=1):
    return start_truth(t, *mixes, seconds=seconds, cpu=cpu).finish()


def warm_up(t, *mixes, seconds=1):
    """Lets JIT compilers and caches settle before anything is measured."""
    truth(t, *mixes, seconds=seconds)


def json_body(t, size=4096):
    """A JSON file of exactly size bytes."""
    path = t.path("body.json")
    words = ["0123456789abcdef"] * ((size - 40) // 19)
    text = json.dumps({"words": words, "pad": ""}, separators=(",", ":"))
    text = text.replace('"pad":""', '"pad":"' + "x" * (size - len(text)) + '"')
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path
