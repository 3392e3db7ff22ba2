"""wrk, hey, vegeta, autocannon and a home-made client into Go: their counts agree with what was recorded."""

from live import load_side, servers
from live.build import tool
from live.outcome import check


def test_load_go(t):
    server = servers.go(t)
    url = server.url("/hello")
    for argv in (
            [tool("wrk"), "-t2", "-c32", "-d4s", "--latency", url],
            [tool("hey"), "-z", "3s", "-c", 20, url],
            [tool("python3"), load_side.STAGES, "--think", 5, "--stage", "4:16", url]):
        load = load_side.joined(load_side.attach_load(t, server.pid, argv))
        load_side.check_counts(t, load)
        corrected = load["client_kind"] == "corrected by the tool"
        check(corrected == (load["tool"] == "wrk"), f"{load['tool']}'s figures are taken for {load['client_kind']}")
        told = any("never measured" in line for line in load["gap_lines"])
        check(told == corrected, f"{load['tool']}: {load['gap_lines']}")


def test_load_go_vegeta(t):
    load_side.check_vegeta(t, servers.go(t), 4)


def test_load_go_autocannon(t):
    load_side.check_autocannon(t, servers.go(t), 2)


test_load_go_vegeta.limit = 400  # vegeta is built on first use
test_load_go_autocannon.limit = 700  # npm packages are installed on first use
