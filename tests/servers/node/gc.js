'use strict';
// Garbage: what a request allocates, and what the collector says of itself.
//   node gc.js PORT       env: LIVE_MB=N (live objects that every full collection has to mark)
//
//   GET /alloc?kb=N   makes N KB of objects, keeps some of them for a while
//   GET /work?us=N    burns N microseconds without allocating
//   GET /health       next to nothing
//   GET /gc           starts an observation if there is none; the entries since then, as JSON:
//                     {"entries":[{"kind":1,"start_ns":"...","ms":1.5}]} (perf_hooks' "gc" entries)

const http = require('node:http');
const { PerformanceObserver, performance } = require('node:perf_hooks');
const { listen, now, send } = require('./serve.js');

const live = [];
for (let i = 0; i < Number(process.env.LIVE_MB || 0) * 8000; i++) live.push({ i, text: `live ${i}`, next: live[i >> 1] });

const recent = [];
let entries = [];
let observer = null;

// perf_hooks counts from performance.timeOrigin; hrtime is CLOCK_MONOTONIC.
const originNs = Number(now()) - performance.now() * 1e6;

function observe() {
  observer = new PerformanceObserver((list) => {
    for (const e of list.getEntries()) {
      entries.push({ kind: e.detail.kind, start_ns: String(Math.round(originNs + e.startTime * 1e6)), ms: e.duration });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
}

function alloc(kb) {
  const made = [];
  for (let i = 0; i < kb * 8; i++) made.push({ i, text: `item ${i}`, pair: [i, i + 1] });
  recent.push(made);
  if (recent.length > 200) recent.shift();
  return made.length;
}

function handle(request, response) {
  const [path, query] = request.url.split('?');
  const number = Number((query || '').split('=')[1]);
  if (path === '/alloc') return send(response, 200, 'text/plain', `${alloc(number || 64)}\n`);
  if (path === '/work') {
    const until = now() + BigInt(number || 1000) * 1000n;
    while (now() < until);
    return send(response, 200, 'text/plain', 'worked\n');
  }
  if (path === '/gc') {
    if (!observer) observe();
    // Entries are delivered in a task of their own: after those of the collections up to now.
    return setTimeout(() => send(response, 200, 'application/json', JSON.stringify({ entries })), 50);
  }
  return send(response, 200, 'text/plain', 'ok\n');
}

listen(http.createServer(handle));
