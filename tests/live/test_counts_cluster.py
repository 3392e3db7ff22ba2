"""A Node cluster: two workers live at attach, one is born under load; all of their requests count."""

import re
import signal

from live import loads, scenarios, servers
from live.outcome import check


def test_counts_cluster(t):
    server = servers.node(t, "cluster.js")
    born = []

    def grow():
        server.process.send(signal.SIGUSR2)
        said = server.process.wait_output(re.compile(r"GROWN \d+\n"))
        born.append(int(re.search(r"GROWN (\d+)", said)[1]))

    def load():
        kept = loads.wrk(t, server.url("/hello"), seconds=4)
        fresh = loads.hey(t, server.url("/hello"), seconds=4, keepalive=False, meanwhile=grow)
        return loads.Count("wrk and hey", kept.requests + fresh.requests, kept.seconds + fresh.seconds,
                           kept.errors + fresh.errors)

    recording = scenarios.count_load(t, server.pid, load, in_flight=128, args=["--follow-children"])
    threads = recording.threads()
    check(threads.get(born[0], {}).get("cpu_ns", 0) > 0, f"the worker born later ({born[0]}) is not in the recording")
