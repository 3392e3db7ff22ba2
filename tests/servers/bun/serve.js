// Bun.serve: GET /hello, GET /items?page=N (3 KB of JSON), POST /echo, POST /login (Bun.password).
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

async function handle(request) {
  const url = new URL(request.url);
  if (url.pathname === '/hello') return new Response('hello\n');
  if (url.pathname === '/items') return Response.json(page(Number(url.searchParams.get('page')) || 0));
  if (url.pathname === '/echo') return Response.json(await request.json());
  if (url.pathname === '/login') return new Response(await Bun.password.hash('correct horse'));
  return new Response('no such route\n', { status: 404 });
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
Bun.serve({ port, hostname: '127.0.0.1', fetch: handle });
console.log(`READY ${port}`);
