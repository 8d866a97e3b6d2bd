// Our page and our commands create, drive, read and export runs through the entries of `src/library`, as other programs
// do. This script finds every import in src/ui and src/cli that goes around them: values (not types) from the rooms that
// run, store, read or serve. Fields, experiments, metrics and the modules of kinds may be imported. `entries-baseline.txt`
// lists the imports of each file from before the rule: there may be fewer, never more (`--write` stores fewer).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from './machine.mjs';

const baselineFile = join(root, 'scripts/entries-baseline.txt');

/** Rooms that a caller of the entries has no need of. */
const behind = /^src\/(session|store|server|device|workers|trajectories|models|policy)\//;

/** Opens a world without `tabgym/worlds`. The other exports of the registry are the modules of kinds. */
const opensWorld = { file: 'src/worlds/registry.ts', name: 'openWorld' };

/** Modules that a source imports values from, as paths from the root; `import()` and `new URL()` of workers included. */
export function valueImports(source, file) {
  const { program, errors } = parseSync(file, source, { lang: 'ts' });
  if (errors.length) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  const add = (path, names = null) => {
    if (typeof path === 'string' && path.startsWith('.'))
      found.push({ file: posix.join(posix.dirname(file), path), names });
  };
  new Visitor({
    ImportDeclaration({ importKind, source: from, specifiers }) {
      const values = specifiers.filter((each) => each.importKind !== 'type');
      if (importKind === 'type' || (specifiers.length && !values.length)) return;
      add(
        from.value,
        values.map(({ imported, local }) => imported?.name ?? local.name),
      );
    },
    ExportNamedDeclaration({ exportKind, source: from, specifiers }) {
      const values = specifiers.filter((each) => each.exportKind !== 'type');
      if (from && exportKind !== 'type' && values.length)
        add(
          from.value,
          values.map(({ local }) => local.name),
        );
    },
    ExportAllDeclaration({ exportKind, source: from }) {
      if (exportKind !== 'type') add(from.value);
    },
    ImportExpression({ source: from }) {
      add(from.value);
    },
    NewExpression({ callee, arguments: [address] }) {
      if (callee.name === 'URL') add(address?.value);
    },
  }).visit(program);
  return found;
}

/** Modules behind the entries that a source imports, each once, in order. */
export function bypasses(source, file) {
  const around = valueImports(source, file).filter(
    (each) =>
      behind.test(each.file) ||
      (each.file === opensWorld.file && (each.names === null || each.names.includes(opensWorld.name))),
  );
  return [...new Set(around.map((each) => each.file))].sort();
}

/** The baseline as text: a line `FILE IMPORT` for each import. */
export const formatBaseline = (found) =>
  Object.entries(found)
    .flatMap(([file, imports]) => imports.map((each) => `${file} ${each}\n`))
    .join('');

export function parseBaseline(text) {
  const found = {};
  for (const [file, each] of text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))) {
    found[file] ??= [];
    found[file].push(each);
  }
  return found;
}

/** Differences to the baseline as sentences: imports that are new, and those that are gone. */
export function compared(found, baseline) {
  const files = [...new Set([...Object.keys(found), ...Object.keys(baseline)])].sort();
  const missing = (from, other) =>
    files.flatMap((file) =>
      (from[file] ?? []).filter((each) => !other[file]?.includes(each)).map((each) => [file, each]),
    );
  return {
    added: missing(found, baseline).map(
      ([file, each]) => `${file} imports ${each}: use an entry of src/library, or extend one`,
    ),
    gone: missing(baseline, found).map(([file, each]) => `${file} no longer imports ${each}`),
  };
}

/** Imports around the entries in the page and the commands, by file. */
export function findBypasses() {
  const found = {};
  for (const folder of ['src/ui', 'src/cli'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const file = `${folder}/${name.replaceAll('\\', '/')}`;
      // Fixtures are stand-ins for what the rooms do.
      if (!file.endsWith('.ts') || file.startsWith('src/ui/gallery/')) continue;
      const around = bypasses(readFileSync(join(root, file), 'utf8'), file);
      if (around.length) found[file] = around;
    }
  return found;
}

if (process.argv[1] === import.meta.filename) {
  const found = findBypasses();
  const { added, gone } = compared(found, parseBaseline(readFileSync(baselineFile, 'utf8')));
  if (process.argv.includes('--write') && !added.length) writeFileSync(baselineFile, formatBaseline(found));
  else for (const each of gone) console.error(`${each}: store this by \`node scripts/entries.mjs --write\``);
  for (const each of added) console.error(each);
  const count = Object.values(found).flat().length;
  console.log(`${count} imports around the entries in ${Object.keys(found).length} files, ${added.length} of them new`);
  process.exit(added.length || (gone.length && !process.argv.includes('--write')) ? 1 : 0);
}
