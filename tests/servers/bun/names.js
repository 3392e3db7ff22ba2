// The routes of node/names.js under Bun.serve.
//   bun names.js PORT

const port = Number(process.argv[2] || process.env.PORT);

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

function answer(request) {
  return new Response(request.url.endsWith('/cpu') ? burnCpu() : garbage.text());
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
Bun.serve({ port, hostname: '127.0.0.1', fetch: answer });
console.log(`READY ${port}`);
