"""20 rounds of attaching and detaching under load (200 with --long): the server lives, no request fails."""

from live import rounds, servers


def test_gc_rounds_jvm(t):
    rounds.check_rounds(t, servers.java(t, "Collector", flags=["-Xmx256m"]), "/alloc?kb=16", rate=40)


test_gc_rounds_jvm.limit = 1500
