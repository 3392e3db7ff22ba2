// The routes of node/names.js, and its functions, under Bun.serve.
//   bun names.js PORT

const { burnCpu, garbage } = require('../node/names.js');

const port = Number(process.argv[2] || process.env.PORT);

function answer(request) {
  return new Response(request.url.endsWith('/cpu') ? burnCpu() : garbage.text());
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
Bun.serve({ port, hostname: '127.0.0.1', fetch: answer });
console.log(`READY ${port}`);
