#!/usr/bin/env python3
"""threaded.py that executes itself anew, with the same pid and port, when it gets SIGUSR1.

usage: reborn.py PORT
"""

import os
import signal
import sys

import threaded


def again(*_):
    os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), *sys.argv[1:]])


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})  # it stays blocked across execv
    signal.signal(signal.SIGUSR1, again)
    threaded.main()
