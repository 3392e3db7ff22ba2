"""wrk, hey, autocannon, vegeta and a home-made client into Node: their counts agree with what was recorded."""

from live import load_side, servers
from live.build import tool


def test_load_node(t):
    server = servers.node(t, "http.js")
    url = server.url("/hello")
    for argv in (
            [tool("wrk"), "-t2", "-c32", "-d4s", "--latency", url],
            [tool("hey"), "-z", "3s", "-c", 20, url],
            [tool("hey"), "-z", "3s", "-c", 20, "-o", "csv", url]):
        load_side.check_counts(t, load_side.joined(load_side.attach_load(t, server.pid, argv)))


def test_load_node_autocannon(t):
    load_side.check_autocannon(t, servers.node(t, "http.js"), 4)


def test_load_node_vegeta(t):
    load_side.check_vegeta(t, servers.node(t, "http.js"), 2)


def test_load_node_homemade(t):
    server = servers.node(t, "http.js")
    argv = [tool("python3"), load_side.STAGES, "--think", 5, "--stage", "4:16", server.url("/hello")]
    load = load_side.joined(load_side.attach_load(t, server.pid, argv))
    load_side.check_counts(t, load)


test_load_node_autocannon.limit = 700  # npm packages are installed on first use
test_load_node_vegeta.limit = 400  # vegeta is built on first use
