"""The same with Node 24 and 26, which are told by other symbols and name their threads."""

from live import gc_node


def test_gc_node_24(t):
    gc_node.check_node(t, version="24.21.0")


def test_gc_node_26(t):
    gc_node.check_node(t, version="26.10.0")
