"""Node's interpreter alone: every function runs in one builtin, and still has its name."""

from live import names, servers


def test_names_node_interpreted(t):
    names.check_v8(t, servers.node(t, "names.js", flags=["--no-opt", "--no-sparkplug"]))
