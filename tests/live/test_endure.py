"""What must not break a recording: full disks, stopped collectors, many connections, threads and children."""

import os
import re
import resource
import signal
import subprocess
import time

from live import loads, quality, scenarios, servers, srvprof
from live.build import tool
from live.outcome import Skip, check

MIB = 1 << 20


def peak_memory(pid):
    """Bytes that a process has had in memory at most."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def check_memory(t, pid, limit=300 * MIB):
    peak = peak_memory(pid)
    t.note(f"srvprof took {peak / MIB:.0f} MiB of memory at most")
    check(peak < limit, f"srvprof took {peak / MIB:.0f} MiB")


def test_endure_full_disk(t):
    """The disk fills up: an error that says so, and what was written stays readable."""
    disk = t.path("disk")
    os.makedirs(disk)
    t.run([tool("mount"), "-t", "tmpfs", "-o", "size=1m", "none", disk])
    t.stack.callback(lambda: subprocess.run([tool("umount"), disk], check=True))
    server = servers.go(t)
    path = os.path.join(disk, "x.srvprof")
    run = t.start([t.srvprof, "attach", "-p", server.pid, "-d", "30s", "-o", path, "--no-report"], name="srvprof-attach")
    run.wait_output(srvprof.LIVE, stream="err", timeout=25)
    loads.wrk(t, server.url("/items"), seconds=6)
    run.finish(30, ok=(1,))
    check("No space left on device" in run.err() and "x.srvprof" in run.err(), f"the disk is not named: {run.err()}")
    out = t.path("report.json")
    t.run([t.srvprof, "report", path, "--format", "json", "-o", out], name="srvprof-report")
    with open(out, encoding="utf-8") as file:
        requests = int(re.search(r'"requests":\s*(\d+)', file.read())[1])
    t.note(f"{requests} requests are readable")
    check(requests > 1000, f"only {requests} requests are readable")


def test_endure_stopped_collector(t):
    """srvprof does not run for three seconds: what found no room in a small ring is counted and said."""
    server = servers.go(t)
    run = srvprof.Attach(t, server.pid, ["--buffer", "1M"])
    run.wait_live()
    load = t.start([tool("wrk"), "-t2", "-c64", "-d7s", server.url("/items")], name="wrk")
    time.sleep(1.5)
    run.process.send(signal.SIGSTOP)
    time.sleep(3)
    run.process.send(signal.SIGCONT)
    said = load.finish(30).out()
    run.stop(ok=(6,))
    count = int(re.search(r"(\d+) requests in", said)[1])
    report = run.recording.report()
    lost = sum(report.losses().values())
    t.note(f"{report.requests} of {count} requests recorded, {lost} records lost: {report.losses()}")
    check(lost > 0, "no loss is told")
    check(1000 < report.requests < count, f"{report.requests} of {count} requests are recorded")


def test_endure_two_recorders(t):
    """Two srvprofs on one target: both have all of it."""
    server = servers.node(t, "http.js")
    with srvprof.Attach(t, server.pid) as one, srvprof.Attach(t, server.pid) as other:
        count = loads.wrk(t, server.url("/hello"), seconds=4)
    for run in (one, other):
        quality.check_complete(t, run.recording.report(), count, 64)


def test_endure_two_targets(t):
    """Two servers, one srvprof."""
    a, b = servers.node(t, "http.js"), servers.go(t)

    def load():
        first = loads.wrk(t, a.url("/hello"), seconds=3)
        second = loads.wrk(t, b.url("/items"), seconds=3)
        return loads.Count("wrk twice", first.requests + second.requests, 6, first.errors + second.errors)

    scenarios.count_load(t, a.pid, load, in_flight=128, args=["-p", str(b.pid)])


def test_endure_10000_connections(t):
    """Ten thousand connections at a time."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] < 11_000:
        raise Skip(f"at most {limits[1]} files may be open")
    t.stack.callback(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    server = servers.go(t)
    with srvprof.Attach(t, server.pid) as run:
        count = loads.wrk(t, server.url("/items"), conns=10_000, seconds=8)
        check_memory(t, run.process.pid)
    report = run.recording.report()
    t.note(f"{count}; recorded {report.requests}; lost {report.losses()}")
    check(not report.losses() and not report.governor_engaged(), f"lost: {report.losses()}")
    check(0 <= report.requests - count.requests <= 10_000, f"recorded {report.requests}, wrk counted {count.requests}")


def test_endure_500_threads(t):
    """A thread per connection, five hundred of them, at a pace that one interpreter lock can keep."""
    server = servers.python(t)

    def load():
        run = loads.truth(t, f"500,rate=600 GET {server.url('/hello')}", seconds=8)
        return loads.Count("truthclient", run.summary["requests"], run.seconds, run.summary.get("errors", 0))

    recording = scenarios.count_load(t, server.pid, load, in_flight=500)
    threads = len(recording.threads())
    t.note(f"{threads} threads are in the recording")
    check(threads >= 500, f"only {threads} threads are in the recording")


def test_endure_exec(t):
    """The target executes its own program anew, under load: it is followed."""
    server = servers.python(t, "reborn.py")
    with srvprof.Attach(t, server.pid) as run:
        first = loads.wrk(t, server.url("/hello"), conns=8, seconds=2)
        server.process.send(signal.SIGUSR1)
        server.process.wait_output(f"READY {server.port}\nREADY {server.port}")
        second = loads.wrk(t, server.url("/hello"), conns=8, seconds=2)
    report = run.recording.report()
    more = report.requests - first.requests - second.requests
    t.note(f"{first}; {second}; recorded {report.requests}")
    check(0 <= more <= 16, f"recorded {report.requests}, counted {first.requests} + {second.requests}")


def test_endure_fork_storm(t):
    """The target starts children without end while it serves: its requests stay complete, memory bounded."""
    server = servers.python(t, "forking.py")
    with srvprof.Attach(t, server.pid, ["--follow-children"]) as run:
        count = loads.wrk(t, server.url("/hello"), conns=8, seconds=6)
        check_memory(t, run.process.pid)
    server.process.stop()
    born = int(re.search(r"BORN (\d+)", server.process.out())[1])
    report = run.recording.report()
    t.note(f"{born} children; {count}; recorded {report.requests}")
    check(born > 100, f"only {born} children were started")
    check(0 <= report.requests - count.requests <= 8, f"recorded {report.requests}, counted {count.requests}")


def test_endure_soak(t):
    """Half an hour of connections that come and go: memory does not grow without end, nothing is lost."""
    if not t.long:
        raise Skip("only with --long")
    server = servers.go(t)
    with srvprof.Attach(t, server.pid, seconds=1900) as run:
        peaks = []
        counted = 0
        for _ in range(180):
            counted += loads.hey(t, server.url("/items"), conns=32, seconds=10, keepalive=False).requests
            peaks.append(peak_memory(run.process.pid))
    report = run.recording.report()
    t.note(f"{counted} requests, recorded {report.requests}; memory {peaks[0] // MIB} MiB after the first 10 s, "
           f"{peaks[-1] // MIB} MiB at the end")
    check(not report.losses(), f"lost: {report.losses()}")
    check(peaks[-1] < 300 * MIB, f"srvprof took {peaks[-1] // MIB} MiB")


test_endure_10000_connections.limit = 120
test_endure_500_threads.limit = 120
test_endure_soak.limit = 2400
