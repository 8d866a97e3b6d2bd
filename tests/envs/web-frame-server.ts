/** Serves the page of web-frame-page.ts, isolated like ours, and the script of the frames: for tests and the bench. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'vite';
import { buildFrameScript, frameScript } from '../../scripts/frame-script.mjs';

async function builtPage(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'import.meta.env.SSR': 'false' },
    plugins: [frameScript({ empty: true })],
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: 'tests/envs/web-frame-page.ts', formats: ['iife'], name: 'page' },
    },
  });
  const [{ output }] = (Array.isArray(result) ? result : [result]) as { output: { code?: string }[] }[];
  return output[0].code!;
}

export interface FrameServer {
  url: string;
  /** Script of a frame. */
  frame: string;
  /** Every requested path. */
  paths: string[];
  close(): void;
}

export async function serveFrames(): Promise<FrameServer> {
  const script = (await builtPage()).replaceAll('</script', '<\\/script');
  const frame = await buildFrameScript('web');
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    response.setHeader('content-type', 'text/html');
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('cross-origin-embedder-policy', 'require-corp');
    response.end(`<!DOCTYPE html><title>page</title><body><script>${script}</script></body>`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, frame, paths, close: () => server.close() };
}
