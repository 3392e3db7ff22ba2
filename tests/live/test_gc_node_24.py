"""The same with Node 24, which is told by other symbols and names its threads."""

from live import gc_node


def test_gc_node_24(t):
    gc_node.check_node(t, version="24.21.0")
