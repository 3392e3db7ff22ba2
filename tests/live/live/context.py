"""One running test: its folder, its ports, its processes, and what must be undone after it."""

import contextlib
import os
import socket

from . import process

PORTS = range(21100, 21900)
_next_port = [0]


class Context:
    """Handed to each test as `t`. Everything started or entered through it ends with the test."""

    def __init__(self, name, srvprof, work, cache, long):
        self.name = name
        self.srvprof = srvprof
        self.cache = cache  # a build.Cache
        self.long = long  # True: run what CI has no time for, too
        self.dir = os.path.join(work, name)
        os.makedirs(self.dir, exist_ok=True)
        self.notes = []
        self.stack = contextlib.ExitStack()

    def note(self, text):
        """A measured figure, printed with the outcome."""
        self.notes.append(text)

    def path(self, name):
        return os.path.join(self.dir, name)

    def port(self):
        """A port that nothing listens on; below the ephemeral range."""
        for _ in PORTS:
            port = PORTS[_next_port[0] % len(PORTS)]
            _next_port[0] += 1
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                with contextlib.suppress(OSError):
                    probe.bind(("127.0.0.1", port))
                    return port
        raise RuntimeError("no free port")

    def start(self, argv, **options):
        """Starts a process that is stopped when the test ends: see process.Process."""
        started = process.Process(argv, log_dir=self.dir, **options)
        self.stack.callback(started.stop)
        return started

    def run(self, argv, timeout=40, ok=(0,), **options):
        """Runs a process to its end and returns it; raises Failure on an unexpected exit code."""
        started = self.start(argv, **options)
        return started.finish(timeout, ok)
