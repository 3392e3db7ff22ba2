"""Go without symbols, also position-independent: every function as the symbol table of its twin has it."""

import bisect
import re
import subprocess

from live import loads, names, servers, srvprof
from live.build import tool
from live.outcome import check


def _table(binary):
    """[(address, function)] of the text symbols, ascending."""
    said = subprocess.run([tool("go"), "tool", "nm", "-n", binary], check=True, capture_output=True, text=True).stdout
    found = [re.match(r"\s*([0-9a-f]+) [tT] (.+)$", line) for line in said.splitlines()]
    return [(int(m[1], 16), m[2]) for m in found if m]


def _without_types(name):
    """The runtime's own table leaves out type arguments, and which calling convention assembly has."""
    return re.sub(r"\[.*\]", "[...]", name).removesuffix(".abi0")


def _check(t, *flags):
    table = _table(t.cache.go("http", *flags))
    starts = [start for start, _ in table]
    server = servers.go(t, flags=[*flags, "-ldflags=-s -w"])
    with srvprof.Attach(t, server.pid, ["--frequency", "499"]) as run:
        for path in ("/items?page=1", "/hello"):
            loads.wrk(t, server.url(path), conns=8, seconds=3)
    stacks = names.Stacks(t, run.recording)
    mine = [(f, n) for f, n in stacks.frames if f.module.endswith(server.binary.rsplit("/", 1)[1])]
    named = sum(n for f, n in mine if f.source == "go" and f.function and f.file and f.line)
    names.check_share(t, "frames of the program with function, file and line", named, sum(n for _, n in mine), 0.995)
    same = 0
    for frame, times in mine:
        at = bisect.bisect_right(starts, int(frame.rows[-1]["module_offset"], 0)) - 1
        same += times if at >= 0 and _without_types(table[at][1]) == _without_types(frame.function) else 0
    names.check_share(t, "functions as the twin's symbol table has them", same, sum(n for _, n in mine), 0.999)
    check(any(len(f.rows) > 1 for f, _ in mine), "no inlined call was seen")


def test_names_go_stripped(t):
    _check(t)


def test_names_go_stripped_pie(t):
    _check(t, "-buildmode=pie")
