/** A site whose page plays the transcripts of tests/envs/transcripts.ts in a browser and posts what it found. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build, type Plugin, preview } from 'vite';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { frameScript } from '../../scripts/frame-script.mjs';
import { root } from '../../scripts/machine.mjs';
import { transcriptCases, transcriptOf } from '../envs/transcripts.ts';

export interface TranscriptSite {
  url: string;
  /** Results of the browser that opened the page, in the order of the cases. */
  found: Promise<unknown[]>;
  close(): Promise<void>;
}

export async function serveTranscripts(name: string): Promise<TranscriptSite> {
  await buildWasm();
  const outDir = join(root, `build/page-transcripts-${name}`);
  const plugins = () => [frameScript({ empty: true })];
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: plugins(),
    worker: { format: 'es', plugins },
    build: {
      outDir,
      target: 'esnext',
      rollupOptions: { input: 'tests/page/transcripts-page.ts', output: { entryFileNames: 'page.js' } },
    },
  });
  let resolve: (found: unknown[]) => void;
  const found = new Promise<unknown[]>((settle) => {
    resolve = settle;
  });
  const driven: Plugin = {
    name: 'driven',
    configurePreviewServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        if (request.url === '/found')
          return void text(request).then((body) => {
            resolve(JSON.parse(body));
            response.end();
          });
        const pages: { [path: string]: [type: string, body: string] } = {
          '/': ['text/html', '<!DOCTYPE html><title>page</title><script type="module" src="/page.js"></script>'],
          '/cases': ['application/json', JSON.stringify(transcriptCases)],
        };
        const page = pages[request.url ?? ''];
        if (!page) return next();
        response.setHeader('content-type', `${page[0]}; charset=utf-8`);
        response.end(page[1]);
      });
    },
  };
  const at = { port: 0, host: '127.0.0.1' };
  const server = await preview({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [driven],
    build: { outDir },
    preview: at,
  });
  const close = async () => {
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  };
  return { url: server.resolvedUrls!.local[0], found, close };
}

/** The same transcripts in this process. */
export async function transcriptsHere() {
  const found = [];
  for (const each of transcriptCases) found.push(await transcriptOf(each));
  return found;
}
