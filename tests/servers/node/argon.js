'use strict';
// POST /login hashes with npm argon2: each hash runs on a thread of libuv's pool and clones up to
// three more threads that live for some milliseconds. GET /health does next to nothing.
//   node argon.js PORT

const http = require('node:http');
const argon2 = require('argon2');
const { listen, send } = require('./serve.js');

async function handle(request, response) {
  request.resume();
  if (request.url === '/health') return send(response, 200, 'text/plain', 'ok\n');
  if (request.url !== '/login') return send(response, 404, 'text/plain', 'no such route\n');
  await argon2.hash('correct horse', { type: argon2.argon2id, memoryCost: 16_384, timeCost: 3, parallelism: 4 });
  return send(response, 200, 'text/plain', 'welcome\n');
}

listen(http.createServer(handle));
