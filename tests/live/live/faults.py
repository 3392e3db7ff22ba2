"""Faults that come from outside the server."""

import os
import signal
import time

_HOG = """
import os, sys, time
on, off, processes = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
open('/proc/self/comm', 'w').write('hog')
for _ in range(processes - 1):
    if os.fork() == 0:
        break
while True:
    until = time.monotonic() + on
    while time.monotonic() < until:
        pass
    if off:
        time.sleep(off)
"""


def hog(t, cpu, on=0.06, off=0.24, processes=2):
    """Burns a CPU on seconds of every on + off; comm "hog"."""
    from .build import tool
    return t.start([tool("python3"), "-c", _HOG, on, off, processes], name="hog", cpu=cpu)


def stop_and_continue(pid, while_running, seconds=0.05, every=0.5):
    """SIGSTOPs a process for `seconds` each `every` seconds; returns how often."""
    count = 0
    while while_running():
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(pid, signal.SIGCONT)
        count += 1
        time.sleep(every - seconds)
    return count
