// Scripts of worlds' frames as text: `virtual:frame/NAME` is src/worlds/NAME/frame/main.ts bundled with its imports,
// because a frame without an origin cannot import anything. Built when first imported.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './machine.mjs';

const prefix = 'virtual:frame/';

const entryOf = (world) => join(root, 'src/worlds', world, 'frame/main.ts');

/** Names of the worlds that run in a frame. */
export const framedWorlds = () =>
  readdirSync(join(root, 'src/worlds'))
    .filter((world) => existsSync(entryOf(world)))
    .sort();

/** The library is for Node; in a frame the browser parses HTML. */
const withoutLibrary = {
  name: 'without-library',
  enforce: 'pre',
  load: (file) => (file.endsWith('browser/node-page.ts') ? 'export const parseWithLibrary = null;' : null),
};

/** Minified script of a world's frame. */
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

/**
 * Plugin that resolves `virtual:frame/NAME`. `empty`: resolves to an empty text, for code that never opens a frame (a
 * worker, a frame, Node).
 */
export function frameScript({ empty = false } = {}) {
  return {
    name: 'frame-script',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load: async (id) => {
      if (!id.startsWith(`\0${prefix}`)) return null;
      return `export default ${empty ? "''" : JSON.stringify(await buildFrameScript(id.slice(prefix.length + 1)))};`;
    },
  };
}
