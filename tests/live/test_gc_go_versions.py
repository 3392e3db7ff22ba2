"""The oldest and the newest Go: the runtime's functions have other arguments, moduledata other offsets."""

from live import gc_go, servers

OLDEST, NEWEST = "1.19", "1.27.3"


def test_gc_go_oldest(t):
    gc_go.check_go(t, servers.go(t, "gc", version=OLDEST, env={"LIVE_MB": 8}))


def test_gc_go_newest(t):
    gc_go.check_go(t, servers.go(t, "gc", version=NEWEST, flags=["-ldflags=-s -w"], env={"LIVE_MB": 8}))
