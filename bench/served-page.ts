/** Builds and serves the page for a bench; `plugins` extend the server; without `minify` functions keep their names. */
import { join } from 'node:path';
import { build, type Plugin, preview } from 'vite';
import { repositoryRoot } from '../src/envs/transport/wasm.ts';

export async function servePage(
  plugins: (outDir: string) => Plugin[] = () => [],
  minify = true,
): Promise<{ url: string; close(): Promise<void> }> {
  const root = await repositoryRoot();
  const outDir = join(root, 'build/page-bench');
  const config = {
    configFile: join(root, 'vite.config.ts'),
    root,
    logLevel: 'error' as const,
    build: { outDir, minify },
  };
  process.env.NODE_ENV = 'production';
  await build(config);
  const at = { port: 0, host: '127.0.0.1' };
  const server = await preview({ ...config, plugins: plugins(outDir), preview: at });
  return { url: server.resolvedUrls!.local[0], close: () => server.close() };
}
