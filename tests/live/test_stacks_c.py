"""A C server built with -O2, without frame pointers: stacks are complete, and libdw sees the same."""

from live import servers, stacks


def test_stacks_c(t):
    server = servers.c_lock(t)
    found = stacks.oracle(t, server, "/health")
    stacks.check_oracle(t, found, "/health")
    stacks.check_dwarf(found, "/health")
    stacks.check_report(t, server, "/health", "report")


def test_stacks_c_dlopen(t):
    """Tables follow dlopen(): a shared object without frame pointers that is loaded while attached."""
    stacks.check_late(t, servers.c_late(t))


test_stacks_c.limit = 90
