"""ab, siege and oha into Node and Go: their counts agree with what was recorded."""

from live import load_side, servers
from live.build import tool


def both(t, argv):
    """argv(url): the command line. Joined by what srvprof keeps of its output."""
    for server in (servers.node(t, "http.js"), servers.go(t)):
        load_side.check_counts(t, load_side.joined(load_side.attach_load(t, server.pid, argv(server.url("/hello")))))


def test_load_ab(t):
    both(t, lambda url: [tool("ab"), "-q", "-k", "-c", 16, "-n", 12000, url])


def test_load_siege(t):
    # It writes its settings into the home of whoever starts it. By count: with -t some runs never end, without srvprof
    # too, and do not heed SIGTERM.
    both(t, lambda url: [tool("env"), f"HOME={t.dir}", tool("siege"), "-b", "-r", 600, "-c", 16, "--no-parser", url])


def test_load_oha(t):
    oha = t.cache.oha(build=t.long)
    both(t, lambda url: [oha, "--no-tui", "-z", "3s", "-c", 20, "--output-format", "json", url])


test_load_oha.limit = 1300  # it may be built first
