#!/usr/bin/env python3
"""A home-made closed-loop client whose number of connections goes through stages.

usage: stages.py [--think MS] [--csv FILE] --stage SECONDS:CONNECTIONS|SECONDS:FROM-TO|SECONDS:0 ... URL

Each connection sends, waits for the whole answer, thinks (20 ms) and sends again: the load rises with
their number as long as the server keeps up. "6:4-20" is a ramp from 4 to 20 connections. Writes srvprof's
plain CSV; the last line on stdout is a JSON summary: requests, and when each stage began (Unix seconds).
"""
import argparse
import json
import socket
import sys
import threading
import time
import urllib.parse


def stages_of(words):
    """[(seconds, from, to)]"""
    out = []
    for word in words:
        seconds, _, conns = word.partition(":")
        first, _, last = conns.partition("-")
        out.append((float(seconds), int(first), int(last or first)))
    return out


class Plan:
    """How many connections are to be used at a time."""

    def __init__(self, stages):
        self.stages = stages
        self.begin = time.monotonic()
        self.begin_unix = time.time()
        self.length = sum(stage[0] for stage in stages)
        self.most = max(max(stage[1:]) for stage in stages)

    def connections(self):
        """None: it is over."""
        since = time.monotonic() - self.begin
        for seconds, first, last in self.stages:
            if since < seconds:
                return first + (last - first) * since / seconds
            since -= seconds
        return None


class Connection(threading.Thread):
    def __init__(self, number, plan, address, path, think):
        super().__init__(daemon=True)
        self.number, self.plan, self.address, self.think = number, plan, address, think
        self.request = f"GET {path} HTTP/1.1\r\nHost: {address[0]}\r\n\r\n".encode()
        self.rows = []
        self.errors = 0

    def answer(self, sock):
        """Reads one whole answer and returns its status."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.some(sock)
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length:
            body += self.some(sock)
        return int(head.split(b" ", 2)[1])

    def some(self, sock):
        data = sock.recv(65536)
        if not data:
            raise ConnectionError("closed")
        return data

    def run(self):
        sock = None
        while (wanted := self.plan.connections()) is not None:
            if self.number >= wanted:
                time.sleep(0.005)
                continue
            try:
                if sock is None:
                    sock = socket.create_connection(self.address, timeout=10)
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                start_unix, start = time.time_ns(), time.monotonic_ns()
                sock.sendall(self.request)
                status = self.answer(sock)
                self.rows.append((start_unix, time.monotonic_ns() - start, status))
            except OSError:
                self.errors += 1
                sock = None
            time.sleep(self.think)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--think", type=float, default=20.0, metavar="MS")
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--stage", action="append", required=True)
    parser.add_argument("url")
    args = parser.parse_args()
    url = urllib.parse.urlsplit(args.url)
    sys.setswitchinterval(0.0005)
    plan = Plan(stages_of(args.stage))
    connections = [Connection(i, plan, (url.hostname, url.port), url.path, args.think / 1000)
                   for i in range(plan.most)]
    for connection in connections:
        connection.start()
    for connection in connections:
        connection.join()
    out = open(args.csv, "w", encoding="ascii") if args.csv else sys.stdout
    print("start_unix_ns,latency_ns,status,path,conn", file=out)
    for connection in connections:
        for start, latency, status in connection.rows:
            print(f"{start},{latency},{status},{url.path},{connection.number}", file=out)
    if args.csv:
        out.close()
        begins, at = [], plan.begin_unix
        for seconds, _, _ in plan.stages:
            begins.append(at)
            at += seconds
        print(json.dumps({"requests": sum(len(c.rows) for c in connections),
                          "errors": sum(c.errors for c in connections), "begins": begins, "end": at}))


if __name__ == "__main__":
    main()
