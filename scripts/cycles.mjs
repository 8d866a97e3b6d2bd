// The shape of the house: imports point one way and never in a circle. Which folder may import which is read from the README's
// table, so that what it draws is what is allowed. Type imports count as the others do: they are knowledge too. An import that
// happens later, by `import()`, counts for the direction, but not for circles: it cannot meet a module half loaded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCircular, parseDependencyTree } from 'dpdm';
import { root } from './machine.mjs';

/** The README's table: a row of each folder, `| name | what it may import |`, with names in backticks. */
export function readLayers(readme) {
  const section = /^## What may import what\n([\s\S]*?)(?=^## )/m.exec(readme)?.[1] ?? '';
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

/** `src/rl`, `envs-wasm/babyai`, `tools`: the folder that owns a file, as the table names it; null: none of ours. */
function layerOf(file) {
  const parts = file.replaceAll('\\', '/').split('/');
  if (['src', 'envs-wasm'].includes(parts[0])) return parts.length > 2 ? `${parts[0]}/${parts[1]}` : parts[0];
  return ['kernels-wasm', 'proxies', 'tools', 'bench', 'tests', 'scripts'].includes(parts[0]) ? parts[0] : null;
}

/** The row of a folder: its own, or that of every folder beside it (`envs-wasm/*`). */
const ruleOf = (layer) => layers[layer] ?? layers[layer.replace(/\/.*/, '/*')];

/** Imports of a dpdm tree that go against the layers, as sentences. */
export function wrongDirections(tree) {
  const wrong = [];
  for (const [file, dependencies] of Object.entries(tree)) {
    const layer = layerOf(file);
    if (!layer) continue;
    const allowed = ruleOf(layer);
    if (!allowed) wrong.push(`${file} is in a folder that no layer owns: add ${layer} to the README's table of layers`);
    for (const { id } of dependencies ?? []) {
      const other = id && layerOf(id);
      if (
        allowed &&
        other &&
        other !== layer &&
        !allowed.includes(other) &&
        !allowed.includes(`${other.split('/')[0]}/*`)
      )
        wrong.push(`${file} imports ${id}: ${layer} may not know ${other}`);
    }
  }
  return wrong;
}

/** All problems, as sentences. */
export async function findProblems() {
  // Globs want forward slashes, on Windows too.
  const base = root.replaceAll('\\', '/');
  const sources = ['src', 'proxies', 'tools', 'bench', 'tests', 'envs-wasm', 'kernels-wasm', 'scripts'].map(
    (folder) => `${base}/${folder}/**/*.{ts,mts,mjs}`,
  );
  const options = { context: root, extensions: ['.ts', '.mts', '.mjs'], tsconfig: `${root}/tsconfig.json` };
  const tree = await parseDependencyTree(sources, { ...options, transform: false });
  const circles = parseCircular(tree, true).map((circle) => `a circle: ${[...circle, circle[0]].join(' -> ')}`);
  return {
    files: Object.keys(tree).filter((file) => layerOf(file)).length,
    problems: [...wrongDirections(tree), ...circles],
  };
}

if (process.argv[1] === import.meta.filename) {
  const { files, problems } = await findProblems();
  for (const problem of problems) console.error(problem);
  console.log(`${files} files, ${problems.length} imports that go the wrong way or in a circle`);
  process.exit(problems.length ? 1 : 0);
}
