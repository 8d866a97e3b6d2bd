// Checks the structure of the house: imports point one way and never form a circle. The tables under "What may import
// what" list the imports allowed to each folder: the root README's for the folders of the house, and the one in
// `src/NAME/README.md`, if any, for the rooms of that folder. Type imports and `import()` count like all others, for
// direction and for circles. `new Worker(new URL(...))` does not count, because the worker's file is loaded as a
// separate program.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCircular, parseDependencyTree } from 'dpdm';
import { root } from './machine.mjs';

/**
 * The table of a README, as `{folder: [folders it may import]}`. A row is `| folders | imports |` with names in
 * backticks; text without backticks ("nothing") adds none.
 */
export function readLayers(readme) {
  const section = /^## What may import what\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(readme)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [, folders, imports] = row.split('|');
      return names(folders).map((folder) => [folder, names(imports)]);
    }),
  );
}

const layers = readLayers(readFileSync(join(root, 'README.md'), 'utf8'));

/** Inner tables by folder: `{'src/ui': {kit: [], state: ['kit'], …}, …}`. */
const innerTables = Object.fromEntries(
  readdirSync(join(root, 'src'))
    .map((name) => [`src/${name}`, join(root, 'src', name, 'README.md')])
    .filter(([, readme]) => existsSync(readme))
    .map(([folder, readme]) => [folder, readLayers(readFileSync(readme, 'utf8'))])
    .filter(([, rooms]) => Object.keys(rooms).length),
);

/** True if a name in a table matches the folder; `*` in the name stands for one part of a path. */
const matches = (name, folder) => {
  const parts = name.split('/');
  const others = folder.split('/');
  return parts.length === others.length && parts.every((part, index) => part === '*' || part === others[index]);
};

/** Names of the rows for folders deeper than the usual ones, such as `src/ui/kit`; the deepest first. */
const deepRows = Object.keys(layers)
  .filter((name) => name.split('/').length > 2)
  .sort((a, b) => b.split('/').length - a.split('/').length);

/**
 * Folder that owns a file, as the root's table names it (`src/rl`, `src/ui/kit`, `envs-wasm/babyai`, `tools`); null for
 * others.
 */
function layerOf(file) {
  const parts = file.replaceAll('\\', '/').split('/');
  for (const name of deepRows) {
    const folder = parts.slice(0, name.split('/').length);
    if (folder.length < parts.length && matches(name, folder.join('/'))) return folder.join('/');
  }
  if (['src', 'envs-wasm'].includes(parts[0])) return parts.length > 2 ? `${parts[0]}/${parts[1]}` : parts[0];
  return ['kernels-wasm', 'proxies', 'tools', 'bench', 'tests', 'scripts'].includes(parts[0]) ? parts[0] : null;
}

/**
 * Imports that the table allows to a folder: by a row of its own, or by one for all such folders (`envs-wasm/*`). In a
 * row for several folders, a `*` at the same position in an allowed import stands for the same name. So the row for the
 * views of the worlds lets each view import its own world only.
 */
function ruleOf(layer) {
  if (layers[layer]) return layers[layer];
  const row = Object.keys(layers).find((name) => matches(name, layer));
  if (!row) return undefined;
  const star = row.split('/').indexOf('*');
  const own = layer.split('/')[star];
  return layers[row].map((name) => (name.split('/').indexOf('*') === star ? name.replace('*', own) : name));
}

/** True if `src/*` (any depth) or another name of a row allows a folder. */
const allows = (name, other) =>
  matches(name, other) || (/^[^/*]+\/\*$/.test(name) && other.startsWith(name.slice(0, -1)));

/** Why one layer may not import another, or null if it may. A folder may always import those inside it. */
function layerFault(file, id) {
  const layer = layerOf(file);
  const other = layerOf(id);
  if (!layer || !other || other === layer || other.startsWith(`${layer}/`)) return null;
  const allowed = ruleOf(layer);
  if (!allowed || allowed.some((name) => allows(name, other))) return null;
  return `${layer} may not import ${other}`;
}

/** Room of a file inside a folder with an inner table; `.` is the room of the files directly in the folder. */
const roomOf = (folder, file) => {
  const parts = file.slice(folder.length + 1).split('/');
  return parts.length > 1 ? parts[0] : '.';
};

/** Folder with an inner table that contains a file, or undefined. */
const innerFolderOf = (file, tables) => Object.keys(tables).find((folder) => file.startsWith(`${folder}/`));

/** Why one room may not import another room of the same folder, or null if it may. */
function roomFault(file, id, tables) {
  const folder = innerFolderOf(file, tables);
  if (!folder || !id.startsWith(`${folder}/`)) return null;
  const room = roomOf(folder, file);
  const other = roomOf(folder, id);
  if (room === other || (tables[folder][room] ?? [other]).includes(other)) return null;
  return `inside ${folder}, ${room} may not import ${other}`;
}

/** Why a file has no place in the tables, as sentences. */
function placeFaults(file, tables) {
  const layer = layerOf(file);
  if (layer && !ruleOf(layer))
    return [`${file} is in a folder that no layer owns: add ${layer} to the README's table of layers`];
  const folder = innerFolderOf(file, tables);
  const room = folder && roomOf(folder, file);
  if (folder && !tables[folder][room])
    return [`${file} is in no room of ${folder}: add ${room} to the table of ${folder}/README.md`];
  return [];
}

/** Imports of a dpdm tree that go against the tables, as sentences. */
export function wrongDirections(tree, tables = innerTables) {
  return Object.entries(tree).flatMap(([file, dependencies]) => {
    if (!layerOf(file)) return [];
    const faults = (dependencies ?? [])
      .filter(({ id }) => id)
      .map(({ id }) => [id, layerFault(file, id) ?? roomFault(file, id, tables)])
      .filter(([, fault]) => fault)
      .map(([id, fault]) => `${file} imports ${id}: ${fault}`);
    return [...placeFaults(file, tables), ...faults];
  });
}

/** Circles of a dpdm tree, `import()` included, as sentences. */
export const findCircles = (tree) =>
  parseCircular(tree, false).map((circle) => `a circle: ${[...circle, circle[0]].join(' -> ')}`);

/** All problems, as sentences. */
export async function findProblems() {
  // Globs need forward slashes, on Windows too.
  const base = root.replaceAll('\\', '/');
  const sources = ['src', 'proxies', 'tools', 'bench', 'tests', 'envs-wasm', 'kernels-wasm', 'scripts'].map(
    (folder) => `${base}/${folder}/**/*.{ts,mts,mjs}`,
  );
  const options = { context: root, extensions: ['.ts', '.mts', '.mjs'], tsconfig: `${root}/tsconfig.json` };
  // `transform: false` keeps the type imports, which a compiled file no longer has.
  const tree = await parseDependencyTree(sources, { ...options, transform: false });
  return {
    files: Object.keys(tree).filter((file) => layerOf(file)).length,
    problems: [...wrongDirections(tree), ...findCircles(tree)],
  };
}

if (process.argv[1] === import.meta.filename) {
  const { files, problems } = await findProblems();
  for (const problem of problems) console.error(problem);
  console.log(`${files} files, ${problems.length} imports that go the wrong way or in a circle`);
  process.exit(problems.length ? 1 : 0);
}
