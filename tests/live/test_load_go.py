"""wrk, hey, vegeta and a home-made client into Go: their counts agree with what was recorded."""

from live import load_side, servers, srvprof
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
    """An open loop, joined afterwards by its file's wall clock."""
    server = servers.go(t)
    vegeta = t.cache.vegeta()
    results, text = t.path("vegeta.gob"), t.path("vegeta.json")
    with srvprof.Attach(t, server.pid) as run:
        t.run([vegeta, "attack", "-rate", "500", "-duration", "4s", "-max-body", "0", "-output", results,
               "-targets", targets(t, server.url("/hello"))], name="vegeta")
    t.run([vegeta, "encode", "-to", "json", "-output", text, results], name="vegeta-encode")
    load = load_side.joined(run.recording_with("--load", text))
    load_side.check_counts(t, load)
    check(load["loop"] == "open", f"vegeta is taken for a {load['loop']} loop: {load['loop_why']}")
    row = load_side.percentile(load["whole"], 50)
    check(row["client_ns"] >= row["server_ns"], f"the client is faster than the server: {row}")


def targets(t, url):
    path = t.path("targets.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"GET {url}\n")
    return path


test_load_go_vegeta.limit = 400  # vegeta is built on first use
