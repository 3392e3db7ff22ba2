#!/usr/bin/env python3
"""A thread per connection under one interpreter lock: GET /hello, GET /busy?us=N, POST /echo.

usage: threaded.py PORT
"""

import signal
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one write an answer

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/hello":
            self.answer(200, b"hello\n")
        elif url.path.startswith("/busy"):
            microseconds = int(parse_qs(url.query).get("us", ["1000"])[0])
            until = time.monotonic_ns() + microseconds * 1000
            while time.monotonic_ns() < until:
                pass
            self.answer(200, b"busy\n")
        else:
            self.answer(404, b"no such route\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)  # HTTPServer's would look up the host's name
        self.server_name, self.server_port = self.server_address


def main(handler=Handler):
    port = int(sys.argv[1])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    with Server(("127.0.0.1", port), handler) as server:
        print(f"READY {port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
