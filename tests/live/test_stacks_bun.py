"""Bun, whose binary describes no frames: stacks through JIT code, its interpreter and libc are complete."""

from live import servers, stacks


def test_stacks_bun(t):
    server = servers.bun(t)
    for path in ("/hello", "/items?page=1"):
        found = stacks.oracle(t, server, path, "bun")
        stacks.check_oracle(t, found, path)
    stacks.check_report(t, server, "/items?page=1", "report")


test_stacks_bun.limit = 90
