// `npm start`: builds the worlds and the page, serves the page and prints its address. PORT chooses the port; if it is
// taken, the next free one is used.
import { build, preview } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { root } from './machine.mjs';

await buildWasm();
await build({ root, logLevel: 'warn' });
const server = await preview({ root, preview: { port: Number(process.env.PORT ?? 4173) } });
console.log(`Tabgym is at ${server.resolvedUrls.local[0]}  (Ctrl-C stops it)`);
