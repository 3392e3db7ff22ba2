"""20 rounds of attaching and detaching under load (200 with --long): the server lives, no request fails."""

from live import rounds, servers


def test_gc_rounds_bun(t):
    rounds.check_rounds(t, servers.bun(t), "/alloc?kb=16")


test_gc_rounds_bun.limit = 1500
