"""CPU quota through cgroup v1's cpu controller or v2's, whichever is mounted."""

import contextlib
import os
import time

from .outcome import Skip

V1 = "/sys/fs/cgroup/cpu"
V2 = "/sys/fs/cgroup"


def _write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


class CpuGroup:
    """A cgroup of one test. quota: CPUs, over periods of 100 ms."""

    def __init__(self, name, quota):
        self.v1 = os.path.exists(f"{V1}/cpu.cfs_quota_us")
        if not self.v1 and "cpu" not in _controllers():
            raise Skip("no cgroup cpu controller is mounted (neither v1 nor v2)")
        self.path = f"{V1 if self.v1 else V2}/srvprof-live-{os.getpid()}-{name}"
        self.procs = f"{self.path}/cgroup.procs"
        try:
            if not self.v1:
                _write(f"{V2}/cgroup.subtree_control", "+cpu")
            os.mkdir(self.path)
            if self.v1:
                _write(f"{self.path}/cpu.cfs_period_us", 100000)
                _write(f"{self.path}/cpu.cfs_quota_us", int(quota * 100000))
            else:
                _write(f"{self.path}/cpu.max", f"{int(quota * 100000)} 100000")
        except OSError as error:
            self.remove()
            raise Skip(f"cannot set up a cgroup with a CPU quota: {error}") from None

    def throttled_ns(self):
        with open(f"{self.path}/cpu.stat", encoding="ascii") as file:
            stat = dict(line.split() for line in file)
        return int(stat["throttled_time"]) if self.v1 else int(stat["throttled_usec"]) * 1000

    def remove(self):
        """Waits for the last process to leave: it may still be exiting."""
        for _ in range(200):
            with contextlib.suppress(FileNotFoundError):
                try:
                    os.rmdir(self.path)
                except OSError:
                    time.sleep(0.02)
                    continue
            return


def _controllers():
    try:
        with open(f"{V2}/cgroup.controllers", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def cpu_quota(t, quota):
    """A cgroup with a quota, removed after the test (before that its processes are stopped)."""
    group = CpuGroup(t.name, quota)
    t.stack.callback(group.remove)
    return group
