"""The same with Node 26, which is told by other symbols and names its threads."""

from live import gc_node


def test_gc_node_26(t):
    gc_node.check_node(t, version="26.10.0")
