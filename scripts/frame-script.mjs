// Scripts of worlds' frames as text: `virtual:frame/NAME` is src/worlds/NAME/frame/main.ts with all it imports, in one piece, since a
// frame without an origin can import nothing. Built when it is first imported.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './machine.mjs';

const prefix = 'virtual:frame/';

const entryOf = (world) => join(root, 'src/worlds', world, 'frame/main.ts');

/** Names of the worlds that are played in a frame. */
export const framedWorlds = () =>
  readdirSync(join(root, 'src/worlds'))
    .filter((world) => existsSync(entryOf(world)))
    .sort();

/** The library is for Node: a frame parses by itself. */
const withoutLibrary = {
  name: 'without-library',
  enforce: 'pre',
  load: (file) => (file.endsWith('browser/node-page.ts') ? 'export const parseWithLibrary = null;' : null),
};

/** The script of a world's frame, minified. */
export async function buildFrameScript(world) {
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
      lib: { entry: entryOf(world), formats: ['iife'], name: 'frame' },
    },
    plugins: [withoutLibrary, frameScript({ empty: true })],
  });
  const [{ output }] = Array.isArray(result) ? result : [result];
  return output.map((part) => (part.type === 'chunk' ? part.code : '')).join('\n');
}

/** Plugin that resolves `virtual:frame/NAME`. `empty`: where no frame is ever opened (a worker, a frame, Node), it is an empty text. */
export function frameScript({ empty = false } = {}) {
  return {
    name: 'frame-script',
    resolveId: (asked) => (asked.startsWith(prefix) ? `\0${asked}` : null),
    load: async (asked) => {
      if (!asked.startsWith(`\0${prefix}`)) return null;
      return `export default ${empty ? "''" : JSON.stringify(await buildFrameScript(asked.slice(prefix.length + 1)))};`;
    },
  };
}
