'use strict';
// Plays a database over HTTP: answers every request after DELAY_MS (2), and every SLOW_EVERY-th
// (50; 0 = none) after SLOW_MS (60).
//   node downstream.js PORT

const http = require('node:http');
const { listen, send } = require('./serve.js');

const delay = Number(process.env.DELAY_MS || 2);
const slow = Number(process.env.SLOW_MS || 60);
const slowEvery = Number(process.env.SLOW_EVERY || 50);
let count = 0;

listen(http.createServer((request, response) => {
  count += 1;
  const wait = slowEvery > 0 && count % slowEvery === 0 ? slow : delay;
  setTimeout(() => send(response, 200, 'application/json', '{"row":1}'), wait);
}));
