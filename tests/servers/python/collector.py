#!/usr/bin/env python3
"""Garbage in CPython: GET /alloc?n=N makes N reference cycles, GET /work?us=N burns N microseconds.

usage: collector.py PORT      env: LIVE=N (live objects that a full collection has to visit)

GET /gc says what gc.callbacks saw: {"collections": {"0": 12, "1": 1, "2": 0}, "longest_ms": 1.5}; the longest
since the last answer.
"""

import gc
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import threaded  # noqa: E402

COUNTS = [0, 0, 0]
LONGEST = [0.0]
BEGAN = [0]
LIVE = [[i, {"n": i}] for i in range(int(os.environ.get("LIVE", "0")))]


def watch(phase, info):
    if phase == "start":
        BEGAN[0] = time.monotonic_ns()
        return
    COUNTS[info["generation"]] += 1
    LONGEST[0] = max(LONGEST[0], (time.monotonic_ns() - BEGAN[0]) / 1e6)


class Cycle:
    def __init__(self, number):
        self.number = number
        self.me = self


class Handler(threaded.Handler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        number = int(query.partition("=")[2] or 1000)
        if path == "/alloc":
            for i in range(number):
                Cycle(i)
            self.answer(200, b"made\n")
        elif path == "/gc":
            found = {"collections": {str(g): n for g, n in enumerate(COUNTS)}, "longest_ms": LONGEST[0]}
            LONGEST[0] = 0.0
            self.answer(200, json.dumps(found).encode())
        elif path == "/work":
            self.burn(number)
        else:
            self.answer(200, b"ok\n")

    def burn(self, microseconds):
        until = time.monotonic_ns() + microseconds * 1000
        while time.monotonic_ns() < until:
            pass
        self.answer(200, b"worked\n")


if __name__ == "__main__":
    gc.callbacks.append(watch)
    threaded.main(Handler)
