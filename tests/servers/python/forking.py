#!/usr/bin/env python3
"""threaded.py beside which a thread starts one short child after the other; prints BORN N at its end.

usage: forking.py PORT
"""

import signal
import subprocess
import sys
import threading

import threaded

ended = threading.Event()
born = [0]


def storm():
    while not ended.is_set():
        subprocess.run(["/bin/true"], check=False)
        born[0] += 1


if __name__ == "__main__":
    thread = threading.Thread(target=storm)
    thread.start()
    try:
        threaded.main()
    finally:
        ended.set()
        thread.join()
        print(f"BORN {born[0]}", flush=True)
