/**
 * A page that works with a GGUF file in a worker and reports by POST /said, so that any browser can be opened at its
 * address. It is cross-origin isolated, as the page of this project is. The worker fetches /model.gguf and /request.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { build, type Plugin, preview } from 'vite';
import { root } from '../scripts/machine.mjs';

export interface ModelPageOptions {
  /** HTML file of the page. */
  page: string;
  /** Model to serve. */
  file: string;
  /** JSON for the worker. */
  request: unknown;
  receive(report: unknown): void;
}

function answers({ file, request, receive }: ModelPageOptions): Plugin {
  const answer = (asked: IncomingMessage, response: ServerResponse, next: () => void) => {
    const { pathname } = new URL(asked.url!, 'http://localhost');
    if (pathname === '/model.gguf') return void createReadStream(file).pipe(response);
    if (pathname === '/request') return response.end(JSON.stringify({ name: basename(file), ...(request as object) }));
    if (pathname === '/said')
      return void text(asked).then((body) => {
        receive(JSON.parse(body));
        response.end();
      });
    next();
  };
  return { name: 'model-page', configurePreviewServer: ({ middlewares }) => void middlewares.use(answer) };
}

/** Builds and serves the page. */
export async function serveModelPage(options: ModelPageOptions): Promise<{ url: string; close(): Promise<void> }> {
  const place = relative(root, options.page);
  const outDir = join(root, 'build/model-pages', dirname(place));
  // Its headers isolate the page.
  const configFile = join(root, 'vite.config.ts');
  await build({
    configFile,
    root,
    logLevel: 'error',
    publicDir: false,
    build: { outDir, emptyOutDir: true, rollupOptions: { input: options.page } },
  });
  const server = await preview({
    configFile,
    root,
    logLevel: 'error',
    plugins: [answers(options)],
    build: { outDir },
    preview: { port: 0 },
  });
  const { port } = server.httpServer.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/${place}`, close: () => server.close() };
}
