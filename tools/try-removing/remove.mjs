// Takes one world out of a checkout: its folders, the documents that name it, the tests and tools that import it, and
// its line in each list. Deletes files and lines only, so that whatever else is in the way shows up as a failing check.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const isSource = (file) => /\.(ts|mts|mjs)$/.test(file);
const slashed = (path) => path.replaceAll('\\', '/');

/** Files below a folder of the checkout, as paths from its root. */
function filesIn(root, folder) {
  const place = join(root, folder);
  if (!existsSync(place)) return [];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(join(entry.parentPath, entry.name).slice(root.length + 1)))
    .filter((file) => !file.includes('node_modules/'));
}

/** Paths that a source file imports, or addresses by `new URL`, from the checkout, as paths from its root. */
export const importsOf = (file, text) =>
  [...text.matchAll(/(?:from|import|URL)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    slashed(normalize(join(dirname(file), path.replace(/\?.*$/, '')))),
  );

/** Folders that hold the files of every world: `tools` and `tests/tools` are not those of a world named tools. */
const shared = /^(?:src\/ui\/lessons|tests\/[^/]+|[^/]+)\//;

/**
 * True if a file of tests, tools, bench or docs is named after the world: `maze.test.ts`, `play-babyai.ts`.
 */
export function isNamedAfter(file, world) {
  return file
    .replace(shared, '')
    .split('/')
    .map((part) => part.replace(/\..*$/, ''))
    .some((name) => name === world || name.startsWith(`${world}-`) || /^[a-z]+-(.*)$/.exec(name)?.[1] === world);
}

/**
 * True if a world's name is `world`, or it belongs to the family of that folder (`agentgym-babyai` is in `agentgym`).
 */
const isOf = (name, world) => name === world || name?.startsWith(`${world}-`);

/** True if an experiment or a recipe of an agent names the world. */
export function namesWorld(document, world) {
  const { world: own, worlds = [], stages = [] } = document;
  return (
    isOf(own, world) ||
    [...worlds, ...stages.flatMap((stage) => stage.worlds ?? [])].some(({ name }) => isOf(name, world))
  );
}

const readJson = (root, file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Experiments, recipes, shipped agents and pages of the docs that need the world. */
function documentsOf(root, world) {
  const needs = (file) => file.endsWith('.json') && namesWorld(readJson(root, file), world);
  const experiments = filesIn(root, 'experiments').filter(needs);
  const agents = [...filesIn(root, 'agents'), ...filesIn(root, 'public/agents')].filter(
    (file) => !file.endsWith('index.json') && needs(file),
  );
  const folders = agents.filter((file) => file.startsWith('public/')).flatMap((file) => filesIn(root, dirname(file)));
  return [
    ...experiments,
    ...agents,
    ...folders,
    ...filesIn(root, 'docs/worlds').filter((file) => isNamedAfter(file, world)),
  ];
}

/** Commands that find the worlds' parts in a list. They stay. */
const lists = new Set(['bench/main.ts', 'tools/replay/main.ts']);

/**
 * Tests, tools, benchmarks and lessons of the world: named after it, or importing what is removed. Lists only lose a
 * line.
 */
function withImporters(root, removed, world) {
  const places = ['tests', 'tools', 'bench', 'src/ui/lessons'].flatMap((folder) => filesIn(root, folder));
  // Certificates are named after a host of a site, not after a world.
  const named = places.filter((file) => !file.endsWith('.pem') && isNamedAfter(file, world));
  const gone = new Set([...removed, ...named]);
  const sources = places.filter((file) => isSource(file) && !lists.has(file));
  const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const [file, text] of texts) {
      const rest = withoutListLines(file, text, gone);
      if (!gone.has(file) && importsOf(file, rest).some((path) => gone.has(path))) gone.add(file);
    }
  }
  return [...gone];
}

/**
 * A list without the lines of removed files: `export … from 'FILE'`, and in a registry or the presets `import NAME from
 * 'FILE'` with the entry `NAME,` or `'file': NAME,`. An import that is used in any other way stays, and the type check reports it.
 */
export function withoutListLines(file, text, gone) {
  const lines = text.split('\n');
  const isGone = (line) => importsOf(file, line).some((path) => gone.has(path));
  const named = /(?:registry|presets)\.ts$/.test(file) ? /^import \{? ?(\w+) ?\}? from/ : /(?!)/;
  const dead = new Set(lines.filter((line) => (line.startsWith('export ') || named.test(line)) && isGone(line)));
  const names = [...dead].flatMap((line) => named.exec(line)?.[1] ?? []);
  const entry = (line) => /^\s+(?:'[^']+': )?(\w+),$/.exec(line)?.[1];
  const kept = lines.filter((line) => !dead.has(line) && !names.includes(entry(line)));
  const rest = kept.join('\n');
  const stillUsed = names.filter((name) => new RegExp(`\\b${name}\\b`).test(rest));
  // A file without imports and exports is no module.
  const empty = /^export /m.test(text) && !/^(?:export|import) /m.test(rest);
  return stillUsed.length ? text : empty ? `${rest}export {};\n` : rest;
}

/** Commands of removed tools, in the list of command line tools and in package.json. */
function dropCommands(root, gone) {
  const config = join(root, 'vite.cli.config.ts');
  const entry = /^ {2}'?([\w-]+)'?: '([^']+)',$/;
  const lines = readFileSync(config, 'utf8').split('\n');
  const dead = lines.flatMap((line) => (gone.has(entry.exec(line)?.[2]) ? [entry.exec(line)[1]] : []));
  if (!dead.length) return;
  writeFileSync(config, lines.filter((line) => !dead.includes(entry.exec(line)?.[1])).join('\n'));
  const file = join(root, 'package.json');
  const text = readFileSync(file, 'utf8');
  const calls = new RegExp(`^.*"node scripts/run\\.mjs (?:${dead.join('|')})",?\\n`, 'gm');
  writeFileSync(file, text.replace(calls, ''));
}

function dropAgents(root, world) {
  const file = join(root, 'public/agents/index.json');
  const index = JSON.parse(readFileSync(file, 'utf8'));
  const agents = index.agents.filter((agent) => !isOf(agent.world, world));
  if (agents.length < index.agents.length) writeFileSync(file, `${JSON.stringify({ ...index, agents }, null, 1)}\n`);
}

/** Removes a world from a checkout. Returns the removed files and the changed lists, as paths from its root. */
export function removeWorld(root, world) {
  const folders = [`src/worlds/${world}`, `envs-wasm/${world}`];
  const own = [...folders.flatMap((folder) => filesIn(root, folder)), ...documentsOf(root, world)];
  if (!own.some((file) => file.startsWith('src/'))) throw new Error(`src/worlds/${world} does not exist.`);
  const gone = new Set(withImporters(root, own, world));
  const changed = [];
  for (const file of ['src', 'proxies', 'tests', 'tools', 'bench', 'scripts'].flatMap((folder) =>
    filesIn(root, folder),
  )) {
    if (gone.has(file) || !isSource(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const rest = withoutListLines(file, text, gone);
    if (rest === text) continue;
    writeFileSync(join(root, file), rest);
    changed.push(file);
  }
  for (const file of gone) rmSync(join(root, file), { force: true });
  for (const folder of new Set([...gone].map((file) => join(root, dirname(file)))))
    if (existsSync(folder) && !readdirSync(folder).length) rmSync(folder, { recursive: true });
  for (const folder of folders) rmSync(join(root, folder), { recursive: true, force: true });
  dropCommands(root, gone);
  dropAgents(root, world);
  return { removed: [...gone].sort(), changed: changed.sort() };
}

/**
 * Test files that name a world, in their own text or in that of a helper that they import: `'maze'`, `'maze-first'`,
 * `worlds/maze`, `?mock=maze`. The tests of the lessons and the crash tests are not among them.
 */
export function testsNaming(root, world) {
  const files = filesIn(root, 'tests').filter((file) => isSource(file) && !/^tests\/(?:lessons|crash)\//.test(file));
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const name = new RegExp(`['"\`/=]${world}\\b`, 'i');
  const names = (file, seen = new Set()) => {
    if (seen.has(file) || !texts.has(file)) return false;
    seen.add(file);
    return name.test(texts.get(file)) || importsOf(file, texts.get(file)).some((path) => names(path, seen));
  };
  return files.filter((file) => file.endsWith('.test.ts') && names(file));
}
