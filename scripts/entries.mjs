// Our page and our commands create, drive, read, export, evaluate and serve runs through `src/library`, as other
// programs do. This script finds every import in src/ui and src/cli that goes around it, and there is none.
//
// The rule. `behind` are the rooms in which a run or a policy is opened, computed, stored or served. A value from one of
// them is imported by `src/library` alone; types are free, and so are the other rooms (fields, experiments, metrics,
// worlds' modules). `open` lists what lies in those rooms and opens no run: documents, names, formats of files, sizes,
// requests to served models, guards of any server, and the programs of threads, which a page starts by their address. A
// module is added there only with a reason of that kind; a module that takes an engine, a store or a session never is.
//
// `src/library/node` and `src/library/web` are the two halves of the entries. Commands use Node's where an entry has no
// room for what a terminal needs: an evaluation that goes on after an interruption, the engines of a grading.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from './machine.mjs';

/** Rooms that a caller of the library has no need of. */
const behind = /^src\/(session|store|server|device|workers|trajectories|models|policy)\//;

/** What lies in those rooms and opens no run, with the reason. */
const open = [
  [/^src\/trajectories\/(files|recorded)\//, 'formats of trajectory files are kinds, and are read without a run'],
  [/^src\/models\/(names|draft|protocol|typed-experiment|whole-tensors)\.ts$/, 'names, settings and files of models'],
  [/^src\/policy\/(catalogue|config|moments)\.ts$/, 'shapes and sizes of models'],
  [/^src\/policy\/(formats|text|plan|weights)\//, 'files of weights, vocabularies and memory, without an engine'],
  [/^src\/policy\/onnx\/export\.ts$/, 'a format of weights'],
  [/^src\/store\/(zip|adapter-files)\.ts$/, 'a format, and names of files in it'],
  [/^src\/session\/protocol\.ts$/, 'types, and a test of a state'],
  [/^src\/session\/(shipped-agent|handoff\/names)\.ts$/, 'documents and names for lists'],
  [/^src\/session\/progress-meter\.ts$/, 'the estimate of a remaining time'],
  [/^src\/session\/text\//, 'texts of tokens and vocabularies'],
  [/^src\/session\/api\//, 'requests to served models: address, key, answer'],
  [/^src\/session\/proposals\//, 'texts of reward proposals; the caller trains them'],
  [/^src\/server\/(door|time-outs)\.ts$/, 'guards of any HTTP server, as of a class'],
  [/^src\/workers\/[a-z-]+-worker\.ts$/, 'the program of a thread, started by its address'],
];

/** Opens a world without the library. The other exports of the registry are the modules of kinds. */
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

const isBehind = (file) => behind.test(file) && !open.some(([module]) => module.test(file));

/** Modules behind the library that a source imports, each once, in order. */
export function bypasses(source, file) {
  const around = valueImports(source, file).filter(
    (each) =>
      isBehind(each.file) ||
      (each.file === opensWorld.file && (each.names === null || each.names.includes(opensWorld.name))),
  );
  return [...new Set(around.map((each) => each.file))].sort();
}

/** The page's and the commands' sources. Fixtures are stand-ins for what the rooms do. */
const sources = () =>
  ['src/ui', 'src/cli'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.ts') && !file.startsWith('src/ui/gallery/')),
  );

/** Imports around the library, by file, and the lines of `open` that nothing uses. */
export function findBypasses() {
  const found = {};
  const used = new Set();
  for (const file of sources()) {
    const source = readFileSync(join(root, file), 'utf8');
    const around = bypasses(source, file);
    if (around.length) found[file] = around;
    for (const { file: each } of valueImports(source, file))
      for (const [module] of open) if (module.test(each)) used.add(module);
  }
  return { found, unused: open.flatMap(([module]) => (used.has(module) ? [] : [String(module)])) };
}

if (process.argv[1] === import.meta.filename) {
  const { found, unused } = findBypasses();
  for (const [file, imports] of Object.entries(found))
    for (const each of imports) console.error(`${file} imports ${each}: use an entry of src/library, or extend one`);
  for (const module of unused) console.error(`Nothing imports ${module} any longer: take its line away`);
  const count = Object.values(found).flat().length;
  console.log(`${count} imports around the library; ${open.length} modules and rooms are open to all`);
  process.exit(count || unused.length ? 1 : 0);
}
