"""The same in a binary without symbols."""

from live import gc_go, servers


def test_gc_go_stripped(t):
    gc_go.check_go(t, servers.go(t, "gc", flags=["-ldflags=-s -w"], env={"LIVE_MB": 8}))
