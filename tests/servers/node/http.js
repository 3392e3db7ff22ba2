'use strict';
// Plain Node http: GET /hello, GET /items?page=N (3 KB of JSON), GET /items/ID, POST /echo.
//   node http.js PORT

const http = require('node:http');
const { listen, page, readBody, send } = require('./serve.js');

function handle(request, response) {
  const url = request.url;
  if (url === '/hello') return send(response, 200, 'text/plain', 'hello\n');
  if (url.startsWith('/items?page=')) {
    return send(response, 200, 'application/json', page(Number(url.slice(12)) || 0));
  }
  if (url.startsWith('/items/')) {
    return send(response, 200, 'application/json', JSON.stringify({ id: url.slice(7) }));
  }
  if (url === '/echo' && request.method === 'POST') {
    return readBody(request, (body) =>
      send(response, 200, 'application/json', JSON.stringify(JSON.parse(body))));
  }
  return send(response, 404, 'text/plain', 'no such route\n');
}

listen(http.createServer(handle));
