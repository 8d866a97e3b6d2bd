/** Built files that the server of a typed world consists of, and the packages that it needs. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const entries = ['world-server.js', 'world-worker.js'];
const packages = ['fastify', 'ws', '@jitl/quickjs-wasmfile-release-sync'];

/** `from './x.js'`, `import './x.js'` and `import('./x.js')`. */
const imported = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g;

/** The entries of build/cli and all chunks that they import, as texts by path below build/cli. */
export function serverFiles(build: string): { [path: string]: string } {
  const files: { [path: string]: string } = {};
  const take = (path: string) => {
    // A text in a chunk may look like an import; no such file exists then.
    if (files[path] !== undefined || !existsSync(join(build, path))) return;
    files[path] = readFileSync(join(build, path), 'utf8');
    for (const [, name] of files[path].matchAll(imported)) take(normalize(join(dirname(path), name)));
  };
  entries.forEach(take);
  return files;
}

/** The versions of the server's packages that are installed here. */
export const serverPackages = (root: string): { [name: string]: string } =>
  Object.fromEntries(
    packages.map((name) => [
      name,
      JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version as string,
    ]),
  );
