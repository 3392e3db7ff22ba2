"""Starts the servers of tests/servers and waits until they listen."""

import glob
import os
import socket

from . import process
from .build import SERVERS, tool
from .outcome import Skip


class Server:
    """A server under test. pid is the process to profile (nginx: the worker)."""

    def __init__(self, proc, port, pid=None):
        self.process = proc
        self.port = port
        self.pid = pid or proc.pid
        self.address = f"127.0.0.1:{port}"

    def url(self, path):
        return f"http://{self.address}{path}"


def _start(t, argv, **options):
    port = t.port()
    started = t.start([*argv, port], **options)
    started.wait_output(f"READY {port}")
    return Server(started, port)


def node(t, script, packages=False, env=None, binary=None, flags=(), **options):
    """tests/servers/node/SCRIPT; packages: it needs npm's. binary: another Node than the system's."""
    env = dict(env or {})
    if packages:
        env["NODE_PATH"] = t.cache.node_modules()
    argv = [binary or tool("node"), *flags, os.path.join(SERVERS, "node", script)]
    return _start(t, argv, name=script, env=env, **options)


def go(t, module="http", flags=(), version=None, **options):
    """tests/servers/go/MODULE; flags: for the compiler; version: of Go, else the system's."""
    binary = t.cache.go(module, *flags, version=version)
    server = _start(t, [binary], name=f"go-{module}", **options)
    server.binary = binary
    return server


def java(t, script, flags=(), **options):
    """tests/servers/java/SCRIPT.java, compiled once."""
    classes = t.cache.java(script)
    return _start(t, [tool("java"), *flags, "-cp", classes, script], name=script, **options)


def bun(t, script="serve.js", **options):
    found = glob.glob(os.path.join(t.cache.node_modules(), "@oven", "bun-*", "bin", "bun"))
    if not found:
        raise Skip("npm's bun brings no binary for this machine")
    return _start(t, [found[0], os.path.join(SERVERS, "bun", script)], name="bun", **options)


def python(t, script="threaded.py", program=None, **options):
    # The system's: Debian's has USDT probes, a private build may not.
    program = program or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else tool("python3"))
    return _start(t, [program, os.path.join(SERVERS, "python", script)], name=script, **options)


def c_lock(t, **options):
    program = t.cache.c("lock", os.path.join(SERVERS, "c", "lock.c"))
    return _start(t, [program], name="lock", **options)


def c_late(t, **options):
    """Loads late_part.so at GET /load."""
    program, _ = t.cache.late()
    return _start(t, [program], name="late", **options)


def _accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def nginx(t, **options):
    """nginx with one worker, which is the process to profile."""
    folder, port = t.path("nginx"), t.port()
    os.makedirs(os.path.join(folder, "www", "static"))
    with open(os.path.join(folder, "www", "static", "page.html"), "w", encoding="ascii") as page:
        page.write("x" * 3000)
    with open(os.path.join(SERVERS, "nginx", "nginx.conf.in"), encoding="ascii") as template:
        text = template.read().replace("@PORT@", str(port)).replace("@DIR@", folder)
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="ascii") as file:
        file.write(text)
    started = t.start([tool("nginx"), "-p", folder, "-c", config], name="nginx", **options)
    process.wait_for(lambda: _accepts(port) or not started.running(), "nginx to listen")
    workers = process.wait_for(lambda: process.children(started.pid), "nginx's worker")
    return Server(started, port, workers[0])
