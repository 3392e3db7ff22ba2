'use strict';
// One known fault a route. Every route accepts a trailing /ID, which a client uses to find its
// request again: /health/17 is the same as /health.
//   node blocker.js PORT       env: DOWNSTREAM=host:port   HANDLER_LOG=file
//
//   GET  /health         next to nothing
//   POST /login          hashes on the event loop, about 50 ms (HASH_ROUNDS scales it)
//   POST /pool           the same hash in libuv's thread pool
//   GET  /busy?us=N      burns N microseconds on the loop; the handler times itself
//   GET  /db             asks DOWNSTREAM over one kept connection a request in flight
//   GET  /sleep?ms=N     answers from a timer
//   GET  /large?kb=N     answers with N KB
//
// HANDLER_LOG gets one line a /busy request: id,entry_ns,exit_ns,cpu_ns (CLOCK_MONOTONIC), written
// at exit so that logging does not disturb what it measures.

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const { listen, now, send } = require('./serve.js');

const rounds = Number(process.env.HASH_ROUNDS || 60_000);
const handlerLog = [];
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const [downstreamHost, downstreamPort] = (process.env.DOWNSTREAM || '').split(':');

function login(id, query, response) {
  crypto.pbkdf2Sync('correct horse', 'salt', rounds, 32, 'sha256');
  send(response, 200, 'text/plain', 'welcome\n');
}

function pool(id, query, response) {
  crypto.pbkdf2('correct horse', 'salt', rounds, 32, 'sha256', () =>
    send(response, 200, 'text/plain', 'welcome\n'));
}

function busy(id, query, response) {
  const entry = now();
  const cpuBefore = process.cpuUsage();
  const until = entry + BigInt(query.get('us') || 1000) * 1000n;
  let exit = entry;
  while (exit < until) exit = now();
  const cpu = process.cpuUsage(cpuBefore);
  exit = now();
  if (id) handlerLog.push(`${id},${entry},${exit},${(cpu.user + cpu.system) * 1000}`);
  send(response, 200, 'text/plain', 'busy\n');
}

function db(id, query, response) {
  const options = { host: downstreamHost, port: Number(downstreamPort), path: `/row${id ? `/${id}` : ''}`, agent };
  const question = http.get(options, (reply) => {
    reply.resume();
    reply.on('end', () => send(response, 200, 'application/json', '{"rows":1}'));
  });
  question.on('error', (error) => send(response, 502, 'text/plain', `${error.message}\n`));
}

function sleep(id, query, response) {
  setTimeout(() => send(response, 200, 'text/plain', 'slept\n'), Number(query.get('ms') || 20));
}

function large(id, query, response) {
  send(response, 200, 'text/plain', Buffer.alloc(Number(query.get('kb') || 1024) * 1024, 120));
}

const routes = {
  health: (id, query, response) => send(response, 200, 'text/plain', 'ok\n'),
  login, pool, busy, db, sleep, large,
};

function handle(request, response) {
  const [path, query] = request.url.split('?');
  const [, name, id] = path.split('/');
  const route = routes[name];
  if (!route) return send(response, 404, 'text/plain', 'no such route\n');
  request.resume();
  return route(id, new URLSearchParams(query), response);
}

function writeHandlerLog() {
  if (process.env.HANDLER_LOG) {
    fs.writeFileSync(process.env.HANDLER_LOG, `id,entry_ns,exit_ns,cpu_ns\n${handlerLog.join('\n')}\n`);
  }
}

listen(http.createServer(handle), { beforeExit: writeHandlerLog });
