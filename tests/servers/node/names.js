'use strict';
// Functions whose names are known: GET /cpu hashes in two named functions, GET /alloc makes garbage, in a
// method, in functions without a name, and through builtins that call back. bun/names.js has its work from here.
//   node names.js PORT

function hashText(text) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return hash;
}

function burnCpu() {
  let hash = 0;
  for (let i = 0; i < 400; i++) hash ^= hashText(`some text of a request ${i}`);
  return String(hash);
}

class Garbage {
  makeItems(n) {
    const items = [];
    for (let i = 0; i < n; i++) items.push({ id: i, name: `item ${i}`, tags: [i, i + 1] });
    return items;
  }

  text() {
    return JSON.stringify(this.makeItems(2000).filter((item) => item.id % 3 === 0)
      .map((item) => item.name));
  }
}

const garbage = new Garbage();

function serve() {
  const http = require('node:http');
  const { listen, send } = require('./serve.js');
  listen(http.createServer((request, response) =>
    send(response, 200, 'text/plain', request.url.startsWith('/cpu') ? burnCpu() : garbage.text())));
}

module.exports = { burnCpu, garbage };
if (require.main === module) serve();
