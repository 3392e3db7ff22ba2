"""Node without symbols: the functions of scripts keep their names."""

from live import names, servers
from live.build import tool


def test_names_node_stripped(t):
    names.check_v8(t, servers.node(t, "names.js", binary=names.stripped(t, tool("node"))))
