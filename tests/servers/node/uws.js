'use strict';
// uWebSockets.js: HTTP parsed in a native addon inside the Node process. GET /hello, GET /items?page=N.
//   node uws.js PORT

const uws = require('@trufflesuite/uws-js-unofficial');
const { exitOnTerm, page, port } = require('./serve.js');

exitOnTerm();
uws.App()
  .get('/hello', (response) => response.end('hello\n'))
  .get('/items', (response, request) => {
    const number = Number(new URLSearchParams(request.getQuery()).get('page')) || 0;
    response.writeHeader('content-type', 'application/json').end(page(number));
  })
  .any('/*', (response) => response.writeStatus('404 Not Found').end('no such route\n'))
  .listen('127.0.0.1', port, (socket) => {
    if (!socket) process.exit(1);
    console.log(`READY ${port}`);
  });
