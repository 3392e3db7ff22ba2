"""What BPF objects a process holds, by bpftool."""

import json
import subprocess

from .build import tool
from .outcome import Skip, check
from .process import wait_for

KINDS = ("prog", "map", "link")


def _show(kind):
    done = subprocess.run([tool("bpftool"), "-j", kind, "show"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=30, check=False)
    if done.returncode:
        raise Skip(f"bpftool {kind} show: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout or "[]")


def ids():
    """{(kind, id)} of everything loaded now."""
    return {(kind, entry["id"]) for kind in KINDS for entry in _show(kind)}


def held_by(pid):
    """{(kind, id)} of what a process holds."""
    return {(kind, entry["id"]) for kind in KINDS for entry in _show(kind)
            if any(user["pid"] == pid for user in entry.get("pids", []))}


class Watch:
    """Remembers what one run of srvprof loaded, to find it gone later."""

    def __init__(self, t, pid, before):
        # Without the kernel's help bpftool does not know the holders: then all that is new counts.
        self.mine = held_by(pid) or ids() - before
        t.note(f"{len(self.mine)} BPF objects while it records")
        check(any(kind == "prog" for kind, _ in self.mine), "srvprof holds no BPF program while it records")

    def check_gone(self):
        wait_for(lambda: not self.mine & ids(), "srvprof's BPF objects to be gone", timeout=10)
