"""Every collection cycle of a Go server is recorded; after detach its code is as before."""

from live import gc_go, servers


def test_gc_go(t):
    gc_go.check_go(t, servers.go(t, "gc", env={"LIVE_MB": 8}))
