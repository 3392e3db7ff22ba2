'use strict';
// A Node cluster of WORKERS (2) processes on one port; SIGUSR2 to the primary forks one more, which
// prints "GROWN pid" when it listens. GET /alloc makes garbage.
//   node cluster.js PORT

const cluster = require('node:cluster');

const wanted = Number(process.env.WORKERS || 2);

function runPrimary() {
  const { exitOnTerm, port } = require('./serve.js');
  exitOnTerm(() => Object.values(cluster.workers).forEach((worker) => worker.process.kill('SIGKILL')));
  let listening = 0;
  cluster.on('listening', (worker) => {
    listening += 1;
    if (listening === wanted) console.log(`READY ${port}`);
    if (listening > wanted) console.log(`GROWN ${worker.process.pid}`);
  });
  process.on('SIGUSR2', () => cluster.fork());
  for (let i = 0; i < wanted; i++) cluster.fork();
}

function runWorker() {
  const http = require('node:http');
  const { port, send } = require('./serve.js');
  const kept = new Array(64);
  let next = 0;
  const server = http.createServer((request, response) => {
    if (request.url === '/alloc') {
      kept[next++ % kept.length] = Array.from({ length: 400 }, (_, i) => ({ i, text: `item ${i}` }));
    }
    send(response, 200, 'text/plain', `hello from ${process.pid}\n`);
  });
  server.keepAliveTimeout = 60_000;
  server.listen({ port, host: '127.0.0.1', backlog: 1024 });
}

if (cluster.isPrimary) runPrimary();
else runWorker();
