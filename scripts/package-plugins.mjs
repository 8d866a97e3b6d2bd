// Vite plugins of the package's build for pages. Its files lie flat in one folder, so that every bundler, and a page
// without one, finds a worker as `new Worker(new URL('./NAME.js', import.meta.url), { type: 'module' })`. WebAssembly and
// tables are part of the scripts: nothing is fetched, so a strict content security policy needs no `connect-src`.
import { basename } from 'node:path';

/** Stands for `import.meta.url` until Vite has passed over it: Vite would otherwise bundle the worker itself. */
const hidden = '__TABGYM_META_URL__';
const workerUrl = /new URL\(\s*(['"])([^'"]+\.ts)\1\s*,\s*import\.meta\.url\s*\)/g;

/** Leaves workers to the bundler of the program that uses the package. */
export const flatWorkers = () => ({
  name: 'flat-workers',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.ts') || !code.includes('new Worker(')) return null;
    return code.replace(workerUrl, (_, _quote, file) => `new URL("./${basename(file, '.ts')}.js", ${hidden})`);
  },
  renderChunk: (code) =>
    code.includes(hidden) ? { code: code.replaceAll(hidden, 'import.meta.url'), map: null } : null,
});

const inlined = 'virtual:inlined-fetch';

/** A `fetch` that decodes data URLs itself: a page's policy may forbid it to fetch them. */
const inlinedFetch = `
export default async function fetchInlined(url) {
  const [, base64] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (base64 === undefined) return globalThis.fetch(url);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(bytes);
}`;

/** Gives the modules that fetch a file of the build a \`fetch\` for files that are part of the script. */
export const inlineFiles = () => ({
  name: 'inline-files',
  enforce: 'pre',
  resolveId: (id) => (id === inlined ? `\0${inlined}` : null),
  load: (id) => (id === `\0${inlined}` ? inlinedFetch : null),
  transform(code, id) {
    if (!/\/src\/.*\.ts$/.test(id) || !/fetch\((await )?url/.test(code)) return null;
    return `import fetch from '${inlined}';\n${code}`;
  },
});

/** Packages that a program installs only if it needs them. In a page they are not part of the build. */
export const withoutOptional = (names) => {
  const optional = (id) => names.find((name) => id === name || id.startsWith(`${name}/`));
  return {
    name: 'without-optional',
    enforce: 'pre',
    resolveId: (id) => (optional(id) ? `\0optional:${optional(id)}` : null),
    load: (id) =>
      id.startsWith('\0optional:')
        ? `throw new Error('${id.slice(10)} is not part of the package for pages: use the kind of policy on Node, or the page of Tabgym.'); export default '';`
        : null,
  };
};

/** Leaves out SQLite's own worker, which nothing here starts: its file would be an address that no bundler can resolve. */
export const withoutSqliteWorker = () => ({
  name: 'without-sqlite-worker',
  enforce: 'pre',
  transform(code, id) {
    if (!/[\\/]@sqlite\.org[\\/]sqlite-wasm[\\/]/.test(id)) return null;
    const worker = /new Worker\(new URL\("sqlite3-worker1\.mjs", import\.meta\.url\), \{[^}]*\}\)/;
    const without = code.replace(worker, 'undefined');
    if (without === code && code.includes('sqlite3-worker1.mjs'))
      this.error(`SQLite's worker is called in another way in ${id}.`);
    return without;
  },
});

/** Leaves out the forms of the worlds' servers (`agentgym.ts`), which no page serves. */
export const withoutServerForms = () => ({
  name: 'without-server-forms',
  enforce: 'pre',
  transform(code, id) {
    const form = "(await import('./agentgym.ts'))";
    if (!/\/src\/worlds\/[\w-]+\/index\.ts$/.test(id) || !code.includes(form)) return null;
    const absent = "function absentForm() { throw new Error('A page serves no worlds: use the package on Node.'); }";
    return `${code.replaceAll(form, 'absentForm()')}\n${absent}`;
  },
});
