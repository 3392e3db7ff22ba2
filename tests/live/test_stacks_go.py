"""Go: frame pointers everywhere, goroutines and the threads' own stacks."""

from live import servers, stacks


def test_stacks_go(t):
    server = servers.go(t)
    found = stacks.oracle(t, server, "/items?page=1", "go")
    # Frames on a second stack that moves on while they are compared in user space differ.
    stacks.check_oracle(t, found, "/items", complete=0.97, same=0.95)
    # libdw cannot follow the runtime from a thread's own stack to the goroutine's (systemstack), and goes
    # one frame beyond the start of a thread, where most waits are: it is asked on CPU only.
    stacks.check_dwarf(found, "/items", same=0.75, places=("on",))
    stacks.check_report(t, server, "/items?page=1", "report", complete=0.97)


test_stacks_go.limit = 90
