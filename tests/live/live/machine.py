"""What a test must leave as it found it: BPF objects, mounts, cgroups, sysctls, networks, loop devices."""

import glob
import json
import os
import subprocess
import time

from . import bpf
from .build import tool
from .outcome import Skip

SYSCTLS = (
    "kernel/bpf_stats_enabled", "kernel/core_pattern", "kernel/kptr_restrict", "kernel/perf_event_mlock_kb",
    "kernel/perf_event_paranoid", "kernel/randomize_va_space", "kernel/sched_schedstats",
    "kernel/unprivileged_bpf_disabled", "kernel/yama/ptrace_scope", "fs/suid_dumpable", "net/core/somaxconn",
    "net/ipv4/ip_local_port_range",
)
FOREIGN_CGROUPS = ("system.slice", "user.slice", "init.scope", "machine.slice")  # the service manager's own coming and going
PATIENCE = 10  # seconds: the kernel frees programs and cgroups some time after their last user


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def _bpf_objects():
    try:
        return {f"BPF {kind} {number}" for kind, number in bpf.ids()}
    except (Skip, FileNotFoundError):  # no bpftool, or it is refused
        return set()


def _mounts():
    lines = (_read("/proc/self/mountinfo") or "").splitlines()
    return {f"mount {words[4]}" for words in (line.split() for line in lines)}


def _cgroups():
    return {f"cgroup {folder}" for folder, _, _ in os.walk("/sys/fs/cgroup")
            if not any(part in FOREIGN_CGROUPS for part in folder.split("/"))}


def _networks():
    found = {f"network namespace {os.path.basename(path)}" for path in glob.glob("/run/netns/*")}
    found |= {f"network device {name}" for name in os.listdir("/sys/class/net")}
    try:
        done = subprocess.run([tool("tc"), "-j", "qdisc", "show"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=10, check=True)
    except (Skip, OSError, subprocess.SubprocessError):
        return found
    return found | {f"qdisc {q['kind']} of {q['dev']}" for q in json.loads(done.stdout or "[]")}


def _loop_devices():
    return {f"loop device of {_read(path)}" for path in glob.glob("/sys/block/loop*/loop/backing_file")}


def _sysctls():
    return {f"{name} = {_read('/proc/sys/' + name)}" for name in SYSCTLS}


class State:
    """The machine as it is now."""

    PARTS = (_bpf_objects, _mounts, _cgroups, _networks, _loop_devices, _sysctls)

    def __init__(self):
        self.found = self._look()

    def _look(self):
        return set().union(*(part() for part in self.PARTS))

    def left_behind(self):
        """What is there now and was not then, in words, after the kernel had time to free it."""
        end = time.monotonic() + PATIENCE
        while True:
            left = self._look() - self.found
            if not left or time.monotonic() > end:
                return sorted(left)
            time.sleep(0.2)
