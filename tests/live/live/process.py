"""Processes that never outlive the tests, and readings of /proc."""

import ctypes
import os
import signal
import subprocess
import time

from .outcome import Failure

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)
_serial = [0]


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_for(condition, what, timeout=10.0):
    """Polls until condition() is true and returns its value."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"waited {timeout:g} s for {what}")
        time.sleep(0.01)


class Process:
    """argv with its output in files; cpu pins it by taskset, cgroups are joined before it runs."""

    def __init__(self, argv, log_dir, name=None, cpu=None, env=None, cgroups=(), cwd=None):
        _serial[0] += 1
        self.name = name or os.path.basename(argv[0])
        base = os.path.join(log_dir, f"{_serial[0]:03d}-{self.name}")
        self.out_path, self.err_path = base + ".out", base + ".err"
        if cpu is not None:
            argv = ["taskset", "-c", str(cpu), *argv]
        if cgroups:
            join = "".join(f"echo $$ > {group.procs}; " for group in cgroups)
            argv = ["sh", "-c", join + 'exec "$@"', "sh", *argv]
        self.argv = [str(word) for word in argv]
        environment = dict(os.environ, **{k: str(v) for k, v in (env or {}).items()})
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.popen = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=cwd,
                start_new_session=True, preexec_fn=_die_with_parent)
        self.pid = self.popen.pid

    def out(self):
        with open(self.out_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def err(self):
        with open(self.err_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def running(self):
        return self.popen.poll() is None

    def wait_output(self, text, stream="out", timeout=15.0):
        """Waits until the process has printed text (a str, or a compiled pattern)."""
        read = self.out if stream == "out" else self.err

        def printed():
            said = read()
            if text.search(said) if hasattr(text, "search") else text in said:
                return said
            if not self.running():
                raise Failure(f"{self.name} ended with {self.popen.returncode}: {self.tail()}")
            return None

        return wait_for(printed, f"{self.name} to print {getattr(text, 'pattern', text)!r}", timeout)

    def tail(self):
        """The end of what it said, for messages."""
        return (self.err().strip() or self.out().strip())[-500:]

    def wait(self, timeout):
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} still runs after {timeout:g} s: {self.tail()}") from None

    def finish(self, timeout=40, ok=(0,)):
        code = self.wait(timeout)
        if code not in ok:
            raise Failure(f"{self.name} ended with {code}: {self.tail()}")
        return self

    def send(self, number):
        if self.running():
            os.kill(self.pid, number)

    def stop(self, number=signal.SIGTERM, timeout=5.0):
        """Ends the process and what it started (its process group)."""
        if self.running():
            os.kill(self.pid, signal.SIGCONT)
            os.kill(self.pid, number)
            try:
                self.popen.wait(timeout)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        return self.popen.wait()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def run_queue_ns(pid):
    """What the threads of a process have waited for a CPU so far."""
    return sum(runq for _, runq, _ in schedstat(pid).values())


def stolen_ns():
    """CPU time that the hypervisor took from this machine so far (10 ms ticks of /proc/stat)."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def schedstat(pid):
    """{tid: (cpu_ns, runq_ns, slices)} of a process's threads."""
    figures = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as file:
                cpu, runq, slices = file.read().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        figures[int(tid)] = (int(cpu), int(runq), int(slices))
    return figures
