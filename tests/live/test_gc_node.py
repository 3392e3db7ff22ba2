"""Every collection of the system's Node is recorded, with its kind; after detach its code is as before."""

from live import gc_node


def test_gc_node(t):
    gc_node.check_node(t)
