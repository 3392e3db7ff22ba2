// Bun.serve: GET /hello, GET /items?page=N (3 KB of JSON), POST /echo, POST /login (Bun.password),
// GET /alloc?kb=N makes garbage, GET /work?us=N burns N microseconds.
//   bun serve.js PORT

const port = Number(process.argv[2] || process.env.PORT);

function page(number) {
  const items = [];
  for (let i = 0; i < 20; i++) {
    const id = number * 20 + i;
    items.push({ id, name: `item ${id}`, price: (id * 37) % 1000, tags: ['red', 'large', 'new'] });
  }
  return { page: number, items };
}

const recent = [];

function alloc(kb) {
  const made = [];
  for (let i = 0; i < kb * 8; i++) made.push({ i, text: `item ${i}`, pair: [i, i + 1] });
  recent.push(made);
  if (recent.length > 200) recent.shift();
  return new Response('made\n');
}

function work(us) {
  const until = Bun.nanoseconds() + us * 1000;
  while (Bun.nanoseconds() < until);
  return new Response('worked\n');
}

async function handle(request) {
  const url = new URL(request.url);
  if (url.pathname === '/hello') return new Response('hello\n');
  if (url.pathname === '/items') return Response.json(page(Number(url.searchParams.get('page')) || 0));
  if (url.pathname === '/alloc') return alloc(Number(url.searchParams.get('kb')) || 64);
  if (url.pathname === '/work') return work(Number(url.searchParams.get('us')) || 1000);
  if (url.pathname === '/echo') return Response.json(await request.json());
  if (url.pathname === '/login') return new Response(await Bun.password.hash('correct horse'));
  return new Response('no such route\n', { status: 404 });
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
// No idle timeout (else 10 s, looked at every 4 s): a connection must not end while a client sends on it.
Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 0, fetch: handle });
console.log(`READY ${port}`);
