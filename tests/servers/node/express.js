'use strict';
// Express 5: GET /hello, GET /users, GET /items/:id, POST /echo.
//   node express.js PORT

const http = require('node:http');
const express = require('express');
const { listen } = require('./serve.js');

const users = Array.from({ length: 40 }, (_, i) => ({ id: i, name: `user ${i}`, admin: i % 7 === 0 }));

const app = express();
app.disable('x-powered-by');
app.use(express.json({ limit: '64kb' }));
app.get('/hello', (request, response) => response.send('hello\n'));
app.get('/users', (request, response) => response.json(users));
app.get('/items/:id', (request, response) => response.json({ id: request.params.id }));
app.post('/echo', (request, response) => response.json(request.body));

listen(http.createServer(app));
