// `npm run build:package [-- --no-page]`: the package in build/package, as `npm pack` takes it: library and commands for
// Node, library with its workers for pages, declarations and a package.json of its own. The page, which is large, is the
// package build/package-page.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { bundledDeclarations } from './declarations.mjs';
import { root } from './machine.mjs';

const out = join(root, 'build/package');
export const entries = ['index', 'worlds', 'policy', 'server', 'files', 'element'];

/** Packages that the library and the commands load at run time; all others are part of the build. */
const needed = [
  '@fastify/http-proxy',
  '@jitl/quickjs-wasmfile-release-sync',
  '@sqlite.org/sqlite-wasm',
  'fastify',
  'node-sqlite3-wasm',
  'ws',
];

/** Large packages that few programs need. Each has an error that names it where it is missing. */
const optional = ['@opensearch-project/opensearch', 'onnxruntime-web', 'playwright-core', 'webgpu'];

/** The page is a package of its own, because of its recorded runs and trained agents. */
const pagePackage = 'tabgym-page';

function exportsOf() {
  const entryOf = (name) => ({
    types: `./types/${name}.d.ts`,
    // The element is for pages; a server may import it, and gets a class without use.
    ...(name === 'element' ? {} : { node: `./build/cli/${name}.js` }),
    ...(name === 'server' ? {} : { default: `./web/${name}.js` }),
  });
  const all = entries.map((name) => [name === 'index' ? '.' : `./${name}`, entryOf(name)]);
  return { ...Object.fromEntries(all), './package.json': './package.json' };
}

function writeManifest() {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const versions = { ...own.devDependencies, ...own.dependencies };
  const pick = (names) => Object.fromEntries(names.map((name) => [name, versions[name]]));
  const { name, version, description, license, type, engines } = own;
  const manifest = {
    ...{ name, version, description, license, type, engines },
    keywords: ['reinforcement-learning', 'agents', 'language-models', 'webgpu', 'webassembly'],
    bin: { tabgym: 'bin/tabgym.mjs' },
    exports: exportsOf(),
    files: ['bin', 'build', 'envs-wasm', 'experiments', 'types', 'web', 'CHANGELOG.md', 'NOTICES.txt'],
    sideEffects: ['./web/element.js'],
    dependencies: pick(needed),
    peerDependencies: { ...pick(optional), [pagePackage]: version },
    peerDependenciesMeta: Object.fromEntries([...optional, pagePackage].map((each) => [each, { optional: true }])),
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Files that the built programs read beside themselves. */
function copyFiles() {
  mkdirSync(join(out, 'build/wasm'), { recursive: true });
  for (const name of readdirSync(join(root, 'build/wasm')))
    if (name.endsWith('.wasm')) cpSync(join(root, 'build/wasm', name), join(out, 'build/wasm', name));
  const tables = 'envs-wasm/sciworld/tables/tables.bin';
  mkdirSync(join(out, 'envs-wasm/sciworld/tables'), { recursive: true });
  cpSync(join(root, tables), join(out, tables));
  cpSync(join(root, 'experiments'), join(out, 'experiments'), { recursive: true });
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(out, name));
  cpSync(join(root, 'src/library/package.md'), join(out, 'README.md'));
}

/** Licences of the packages whose code is part of the build. */
function writeNotices() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bundled = Object.entries(packages).filter(
    ([path, { dev, optional: isOptional }]) =>
      path.startsWith('node_modules/') && !isOptional && (!dev || path === 'node_modules/commander'),
  );
  const notices = bundled.map(([path, { version, license = 'not stated' }]) => {
    const folder = join(root, path);
    const file = existsSync(folder) && readdirSync(folder).find((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no text of its own.';
    return `${path.replace('node_modules/', '')} ${version}  ${license}\n\n${text}\n`;
  });
  const about = 'Code of these packages may be part of the files of this package, under their own licences.';
  writeFileSync(join(out, 'NOTICES.txt'), [`${about}\n`, ...notices].join(`\n${'-'.repeat(80)}\n\n`));
}

/** Writes types/NAME.d.ts for every entry, from the sources. */
export function writeDeclarations(folder) {
  const declarations = join(root, 'build/declarations');
  rmSync(declarations, { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.package.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  mkdirSync(folder, { recursive: true });
  for (const name of entries)
    writeFileSync(join(folder, `${name}.d.ts`), bundledDeclarations(join(declarations, `src/library/${name}.d.ts`)));
}

async function buildPage() {
  const folder = join(root, 'build/package-page');
  rmSync(folder, { recursive: true, force: true });
  await build({ root, logLevel: 'warn', build: { outDir: join(folder, 'page'), emptyOutDir: true } });
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const description = 'The page of Tabgym as static files, for `npx tabgym page`.';
  const manifest = { name: pagePackage, version, description, license, type: 'module', files: ['page'] };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

export async function buildPackage({ page = true } = {}) {
  await buildWasm();
  rmSync(out, { recursive: true, force: true });
  const configFile = join(root, 'vite.package.config.ts');
  for (const mode of ['node', 'web']) await build({ root, configFile, mode, logLevel: 'warn' });
  writeDeclarations(join(out, 'types'));
  copyFiles();
  writeNotices();
  writeManifest();
  if (page) await buildPage();
  mkdirSync(join(out, 'bin'), { recursive: true });
  for (const name of ['tabgym.mjs', 'visible-output.mjs']) cpSync(join(root, 'scripts', name), join(out, 'bin', name));
  console.log(`The package is in ${out}`);
}

if (process.argv[1] === import.meta.filename) await buildPackage({ page: !process.argv.includes('--no-page') });
