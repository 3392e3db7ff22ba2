'use strict';
// What every Node test server shares: the port, the READY line and the exit on SIGTERM.

const port = Number(process.argv[2] || process.env.PORT);

// Clock of CLOCK_MONOTONIC in ns (a BigInt): the clock that recordings use.
const now = process.hrtime.bigint;

function exitOnTerm(beforeExit) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (beforeExit) beforeExit();
      process.exit(0);
    });
  }
}

// Listens on loopback with a backlog that a burst of a few hundred connects does not overflow.
function listen(server, { beforeExit } = {}) {
  exitOnTerm(beforeExit);
  server.keepAliveTimeout = 60_000;
  server.listen({ port, host: '127.0.0.1', backlog: 1024 }, () => console.log(`READY ${port}`));
  return server;
}

// A page of 20 items, about 3 KB of JSON.
function page(number) {
  const items = [];
  for (let i = 0; i < 20; i++) {
    const id = number * 20 + i;
    items.push({
      id,
      name: `item ${id}`,
      price: (id * 37) % 1000,
      tags: ['red', 'large', 'new'],
      text: 'a short text that describes this item in a few words',
    });
  }
  return JSON.stringify({ page: number, items });
}

// Collects a request's body, then calls done(Buffer).
function readBody(request, done) {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => done(Buffer.concat(parts)));
}

function send(response, status, type, body) {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

module.exports = { port, now, exitOnTerm, listen, page, readBody, send };
