// The content security policy of the built page, as a meta element, so that it holds on any host. Scripts must be the
// page's own files. Inline scripts and styles are allowed only by hash: the theme's few lines in index.html, and the
// scripts of the frames that show web pages or run worlds, because a frame without an address inherits its page's
// policy (https://www.w3.org/TR/CSP3/#security-inherit-csp). WebAssembly may be compiled; text may not be evaluated.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { buildFrameScript, framedWorlds } from './frame-script.mjs';
import { root } from './machine.mjs';

export const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const load = async (path) => (await runnerImport(join(root, path), { configFile: false, logLevel: 'error' })).module;

/** Inline scripts and styles of the page and its frames. */
async function inlineTexts(html) {
  const { safeScript, nestedStyle } = await load('src/envs/transport/frame.ts');
  const played = await Promise.all(framedWorlds().map(buildFrameScript));
  // A view that shows pages in a frame has its own script and style for them.
  const shown = await Promise.all(
    readdirSync(join(root, 'src/worlds'))
      .map((world) => `src/worlds/${world}/view/frame-script.ts`)
      .filter((file) => existsSync(join(root, file)))
      .map(load),
  );
  const inPage = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
  return {
    scripts: [...inPage, ...[...played, ...shown.map(({ pageFrameScript }) => pageFrameScript)].map(safeScript)],
    styles: [nestedStyle, ...shown.map(({ pageFrameStyle }) => pageFrameStyle)],
  };
}

/** Hashes of the two style attributes that the code editor (CodeMirror) writes; `unsafe-hashes` allows only these. */
const editorStyles = [
  "'sha256-Q5eikIEemYiD3x6NMbxp2wPzj0hY9DPXlStfoVahKxk='",
  "'sha256-cTstnX+76HyqwAUGF+IhvkRe4a4lOlTBTL7rVh4mluQ='",
];

/** `connect-src` is open because a person may enter the address of a server of worlds, of a model or of a hub. */
export const policyOf = ({ scripts, styles }) =>
  [
    "default-src 'self'",
    `script-src 'self' 'wasm-unsafe-eval' ${scripts.map(hashOf).join(' ')}`,
    `style-src 'self' 'unsafe-hashes' ${[...styles.map(hashOf), ...editorStyles].join(' ')}`,
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    'connect-src * data: blob:',
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

export const contentPolicy = () => ({
  name: 'content-policy',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    async handler(html) {
      const policy = policyOf(await inlineTexts(html));
      return html.replace(
        '<meta charset="utf-8" />',
        `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
      );
    },
  },
});
