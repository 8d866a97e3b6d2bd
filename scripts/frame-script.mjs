// The script of the web's frames as text: `virtual:web-frame` is src/worlds/web/frame/main.ts with all it imports, in one piece, since a
// frame without an origin can import nothing. Built when it is first asked for.
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './machine.mjs';

const id = 'virtual:web-frame';

/** The library is for Node: a frame parses by itself. */
const withoutLibrary = {
  name: 'without-library',
  enforce: 'pre',
  load: (file) => (file.endsWith('browser/node-page.ts') ? 'export const parseWithLibrary = null;' : null),
};

/** The script, minified. */
export async function buildFrameScript() {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: { 'import.meta.env.SSR': 'false' },
    build: {
      write: false,
      target: 'esnext',
      minify: true,
      lib: { entry: join(root, 'src/worlds/web/frame/main.ts'), formats: ['iife'], name: 'frame' },
    },
    plugins: [withoutLibrary, frameScript({ empty: true })],
  });
  const [{ output }] = Array.isArray(result) ? result : [result];
  return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('\n');
}

/** The plugin that answers `virtual:web-frame`. `empty`: where no frame is ever opened (a worker, a frame, Node), it is an empty text. */
export function frameScript({ empty = false } = {}) {
  return {
    name: 'web-frame',
    resolveId: (asked) => (asked === id ? `\0${id}` : null),
    load: async (asked) => {
      if (asked !== `\0${id}`) return null;
      return `export default ${empty ? "''" : JSON.stringify(await buildFrameScript())};`;
    },
  };
}
