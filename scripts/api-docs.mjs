// `npm run docs:api [-- --out FOLDER]`: documentation of the package's entries as pages, by TypeDoc, from the declarations in
// docs/api. TypeDoc needs an earlier TypeScript than ours, so both are installed in build/api-docs and not here. A warning
// is a failure: a type without a place, a broken link. The examples in it run in `npm run test:package`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './machine.mjs';

const packages = ['typedoc@0.28.20', 'typescript@5.9'];
const work = join(root, 'build/api-docs');

/** Name of an entry's module in the documentation. */
const moduleOf = (name) => (name === 'index' ? 'tabgym' : `tabgym/${name}`);

/** A declaration file in which everything is exported, so that each type which an export uses has a page. */
export function exportedAll(text, name) {
  const { program, errors } = parseSync(`${name}.d.ts`, text);
  if (errors.length) throw new Error(`docs/api/${name}.d.ts: ${errors[0].message}`);
  const [first, ...others] = program.body;
  const starts = program.body.filter(({ type }) => !type.startsWith('Export')).map(({ start }) => start);
  const dropped = others.filter(({ type, specifiers }) => type === 'ExportNamedDeclaration' && specifiers.length);
  let shown = text;
  const edits = [
    ...starts.map((at) => ({ at, end: at, put: 'export ' })),
    ...dropped.map(({ start, end }) => ({ at: start, end, put: '' })),
  ].sort((a, b) => b.at - a.at);
  for (const { at, end, put } of edits) shown = shown.slice(0, at) + put + shown.slice(end);
  const about = first && /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0];
  // The comment of the file, not of its first declaration.
  return about ? shown.replace(about, about.replace(/\n? ?\*\/$/, `\n * @module ${moduleOf(name)}\n */`)) : shown;
}

function buildApiDocs(out = join(work, 'pages')) {
  const sources = join(work, 'sources');
  rmSync(sources, { recursive: true, force: true });
  mkdirSync(sources, { recursive: true });
  const names = readdirSync(join(root, 'docs/api')).map((file) => file.replace('.d.ts', ''));
  for (const name of names)
    writeFileSync(
      join(sources, `${name}.d.ts`),
      exportedAll(readFileSync(join(root, 'docs/api', `${name}.d.ts`), 'utf8'), name),
    );
  writeFileSync(join(work, 'package.json'), '{"private": true, "type": "module"}\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: work });
  const lib = ['es2024', 'dom', 'esnext'];
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', lib, types: [], noEmit: true };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['sources'] }));
  const options = {
    entryPoints: names.map((name) => `sources/${name}.d.ts`),
    ...{ out, name: 'Tabgym', readme: join(root, 'src/library/package.md'), tsconfig: 'tsconfig.json' },
    ...{ excludePrivate: true, disableSources: true, treatWarningsAsErrors: true, hideGenerator: true },
  };
  writeFileSync(join(work, 'typedoc.json'), JSON.stringify(options));
  execFileSync(process.execPath, ['node_modules/typedoc/bin/typedoc'], { cwd: work, stdio: 'inherit' });
  return out;
}

if (process.argv[1] === import.meta.filename) {
  const at = process.argv.indexOf('--out');
  console.log(`The pages are in ${buildApiDocs(at < 0 ? undefined : join(process.cwd(), process.argv[at + 1]))}`);
}
