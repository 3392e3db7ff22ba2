"""Node: stacks through JIT code, the interpreter, builtins, C++ and libc are complete, on and off CPU."""

from live import servers, stacks


def test_stacks_node(t):
    server = servers.node(t, "http.js")
    for path in ("/hello", "/items?page=1"):
        found = stacks.oracle(t, server, path, "node")
        stacks.check_oracle(t, found, path)
    stacks.check_report(t, server, "/items?page=1", "report")


test_stacks_node.limit = 90
