"""CPython, built without frame pointers: stacks are complete, and libdw sees the same."""

from live import servers, stacks


def test_stacks_python(t):
    server = servers.python(t)
    found = stacks.oracle(t, server, "/hello", "cpython")
    stacks.check_oracle(t, found, "/hello")
    stacks.check_dwarf(found, "/hello")
    stacks.check_report(t, server, "/hello", "report")


test_stacks_python.limit = 90
