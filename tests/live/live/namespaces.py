"""Servers and commands in pid and mount namespaces of their own, as in a container."""

import os

from .build import tool
from .process import children, wait_for
from .servers import Server


def enter(*argv):
    """argv in new pid and mount namespaces, with a /proc of their own."""
    return [tool("unshare"), "--pid", "--fork", "--mount-proc", "--kill-child", "--", *argv]


def _free_everywhere():
    """A pid that no process has, far from those that are given out next."""
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
        pid = int(file.read()) - 100
    while os.path.exists(f"/proc/{pid}"):
        pid -= 1
    return pid


def server(t, binary, *files):
    """A server whose program, with `files` beside it, is in its own mount namespace only. (Server, its pid in there)

    Its number in there belongs to nobody outside.
    """
    port, inner = t.port(), t.path("inner")
    os.makedirs(inner, exist_ok=True)
    pid = _free_everywhere()
    copies = "".join(f" && cp {file} {inner}/" for file in files)
    script = (f"mount -t tmpfs none {inner} && cp {binary} {inner}/served{copies} && echo {pid - 1} > /proc/sys/kernel/ns_last_pid"
              f" && {{ {inner}/served {port} & }} && wait")
    started = t.start(enter("sh", "-c", script), name="contained")
    started.wait_output(f"READY {port}")

    def served():
        found = [p for c in children(started.pid) for p in children(c)]
        return found[0] if found else None

    return Server(started, port, wait_for(served, "the contained server")), pid
