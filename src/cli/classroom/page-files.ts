/**
 * The built page's files, by path, with the headers that isolate it. They are read once, at the start, so that a build in
 * the middle of a class changes nothing. Nothing outside of the list is ever read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Headers that isolate the page, so that it may use threads, and that keep it out of frames. */
const headers = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Serves every file that a folder has now, and its index at the root. */
export function servePage(app: FastifyInstance, folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  for (const file of files) {
    const path = file.slice(folder.length).replaceAll('\\', '/');
    const type = types[extname(file)] ?? 'application/octet-stream';
    const paths = path === '/index.html' ? ['/', path] : [path];
    const bytes = readFileSync(file);
    for (const url of paths)
      app.get(encodeURI(url), (_request, reply) => reply.headers(headers).type(type).send(bytes));
  }
}
