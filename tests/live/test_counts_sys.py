"""The last fallback (`--capture sys`): every request is recorded as by the socket tracepoints."""

from live import loads, scenarios, servers
from live.outcome import check

SYS = ("--capture", "sys")


def check_path_and_arrival(t, recording):
    """The first lines were read, arrivals were seen, and the coverage names what this way does not see."""
    told = {line["topic"]: line["text"] for line in recording.report().data["coverage"]}
    t.note(f"capture: {told.get('capture')}; arrival: {told.get('arrival', 'of all')}; path: {told.get('path', 'of all')}")
    check("by sys" in told.get("capture", ""), f"coverage does not name the way of capture: {sorted(told)}")
    check("capture.sys" in told, f"coverage does not name what is not seen: {sorted(told)}")


def test_counts_sys_node(t):
    server = servers.node(t, "http.js")
    recording = scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/hello"), seconds=4), args=SYS)
    check_path_and_arrival(t, recording)


def test_counts_sys_go(t):
    server = servers.go(t)
    body = loads.json_body(t)
    scenarios.count_load(t, server.pid, lambda: loads.wrk(t, server.url("/echo"), seconds=4, body=body), args=SYS)


def test_counts_sys_go_hey_close(t):
    server = servers.go(t)
    scenarios.count_load(t, server.pid, lambda: loads.hey(t, server.url("/hello"), seconds=4, keepalive=False), args=SYS)
