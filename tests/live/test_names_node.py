"""Node as it is: its functions by name, file and line; also in the flame graph and in what srvprof says."""

from live import names, servers
from live.outcome import check


def test_names_node(t):
    server = servers.node(t, "names.js")
    stacks = names.check_v8(t, server)
    flame = t.run([t.srvprof, "export", stacks.path, "--format", "folded", "-o", "-"], name="srvprof-export").out()
    # the parser calls it from C++: no optimisation inlines it
    for label in (" names.js:", "parserOnHeadersComplete node:_http_common:"):
        check(label in flame, f"{label} is not in the flame graph")
