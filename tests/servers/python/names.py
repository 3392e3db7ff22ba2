#!/usr/bin/env python3
"""Functions whose names are known: GET /cpu spends 3/4 of USEC in spin_most and the rest in Work.spin_rest, which is
called back from C (sorted) through a generator; GET /parked says which functions a parked thread is in.

usage: names.py PORT     env: USEC=N (2000)
"""

import json
import os
import sys
import threading
import time

import threaded

USEC = int(os.environ.get("USEC", "2000"))
parked = {}


def spin_most(until):
    while time.perf_counter_ns() < until:
        pass


class Work:
    def spin_rest(self, until):
        while time.perf_counter_ns() < until:
            pass
        return 0

    def through_c(self, until):
        return sorted(self.numbers(), key=lambda n: self.spin_rest(until) if n == 2 else n)

    def numbers(self):
        yield from (1, 2, 3)


def cpu():
    start = time.perf_counter_ns()
    spin_most(start + USEC * 750)
    return Work().through_c(start + USEC * 1000)


def park_inner():
    while True:
        time.sleep(0.02)


def park_outer():
    parked["tid"] = threading.get_native_id()
    sorted([1, 2], key=lambda _: park_inner())


class Handler(threaded.Handler):
    def do_GET(self):
        if self.path == "/cpu":
            cpu()
            self.answer(200, b"done\n")
            return
        frame, stack = sys._current_frames()[parked["ident"]], []
        while frame:
            code = frame.f_code
            stack.append([code.co_qualname, code.co_filename, code.co_firstlineno])
            frame = frame.f_back
        self.answer(200, json.dumps({"tid": parked["tid"], "stack": stack}).encode())


if __name__ == "__main__":
    thread = threading.Thread(target=park_outer, daemon=True)
    thread.start()
    parked["ident"] = thread.ident
    threaded.main(Handler)
