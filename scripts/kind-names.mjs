// Kinds are modules: a policy kind, a world or an algorithm is named only by its own module, the registries, presets,
// fixtures, tests and tools. This script finds every literal name elsewhere: `=== 'NAME'`, `case 'NAME'`, a type, a key
// of a table. It reads the names from the registries. `names-baseline.json` lists the number of names per file from
// before the rule: a file may have fewer, never more (`--write` stores fewer). To exempt a string that only looks like
// a name, add a comment on its line or the line above: `// not a kind: a file format`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { runnerImport } from 'vite';
import { root } from './machine.mjs';

const baselineFile = join(root, 'scripts/names-baseline.json');

/** Registries, presets and fixtures, which may name every kind. */
const free = [
  /^src\/worlds\/[^/]+\.ts$/,
  /^src\/rl\/algorithms\/registry\.ts$/,
  /^src\/(experiment|session)\/policies\/registry\.ts$/,
  /^src\/experiment\/presets\.ts$/,
  /^src\/ui\/gallery\//,
];

/** Folders of the modules of a kind; a file there may name its own kind. */
const homes = {
  world: /^src\/(worlds\/[^/]+|envs\/[^/]+)\//,
  policy: /^src\/(experiment|session)\/policies\//,
  algorithm: /^src\/rl\/algorithms\//,
};

/** Names of each kind, from the registries. */
export async function registeredNames() {
  const options = { root, configFile: false, logLevel: 'error' };
  const load = async (path) => (await runnerImport(join(root, path), options)).module;
  const { ExperimentSchema } = await load('src/experiment/experiment.ts');
  const { policy, algorithm } = ExperimentSchema.entries;
  const { worldNames } = await load('src/worlds/registry.ts');
  const literals = (variant, key) => variant.options.map(({ entries }) => entries[key].literal);
  const names = {
    world: [...worldNames],
    policy: literals(policy, 'kind'),
    algorithm: algorithm.type === 'variant' ? literals(algorithm, 'name') : algorithm.entries.name.options,
  };
  for (const [kind, list] of Object.entries(names))
    if (!list.length || list.some((name) => typeof name !== 'string'))
      throw new Error(`The names of the kind "${kind}" could not be read from its registry.`);
  return names;
}

/** Text of a key; null if it is computed. */
const keyOf = ({ key, computed }) => (computed ? null : (key.name ?? key.value ?? null));

/**
 * Literal names in a source: `[{name, kind, line}]`. The name of a policy kind counts as a key only in a table with
 * another such name, and not after a dot, because `lora` is a field as well.
 */
export function findNames(source, names) {
  const { program, errors, comments } = parseSync('source.ts', source, { lang: 'ts' });
  if (errors.length) throw new Error(errors[0].message);
  const kindOf = (text) => Object.keys(names).find((kind) => names[kind].includes(text));
  const lineAt = (offset) => source.slice(0, offset).split('\n').length;
  const excused = new Set(
    comments
      .filter(({ value }) => /^\*?\s*not a kind: \S/.test(value))
      .flatMap(({ start, end }) => [lineAt(start), lineAt(end) + 1]),
  );
  const found = [];
  const skipped = new Set();
  const add = (name, offset) => {
    const line = lineAt(offset);
    if (kindOf(name) && !excused.has(line)) found.push({ name, kind: kindOf(name), line });
  };
  const table = (members) => {
    const keys = members.filter(({ type }) => /Property|Method/.test(type)).map((member) => [keyOf(member), member]);
    for (const [key, member] of keys) {
      skipped.add(member.key?.start);
      const kind = kindOf(key);
      const beside = keys.filter(([other]) => kindOf(other) === kind).length > 1;
      if (kind && (kind !== 'policy' || beside)) add(key, member.start);
    }
  };
  const skip = ({ source: from }) => skipped.add(from?.start);
  new Visitor({
    ImportDeclaration: skip,
    ExportNamedDeclaration: skip,
    ExportAllDeclaration: skip,
    ObjectExpression: ({ properties }) => table(properties),
    TSTypeLiteral: ({ members }) => table(members),
    TSInterfaceBody: ({ body }) => table(body),
    MemberExpression: ({ property, computed, start }) => {
      const kind = computed ? undefined : kindOf(property.name);
      if (kind && kind !== 'policy') add(property.name, start);
    },
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && !skipped.has(start)) add(value, start);
    },
    TemplateLiteral: ({ quasis, expressions, start }) => {
      if (!expressions.length) add(quasis[0].value.cooked, start);
    },
  }).visit(program);
  return found;
}

/** Names in a file that break the rule. */
export function offendersIn(file, source, names) {
  if (free.some((place) => place.test(file))) return [];
  return findNames(source, names).filter(({ kind, name }, _, all) => {
    const own = all.find((each) => each.kind === kind)?.name;
    return !(homes[kind].test(file) && name === own);
  });
}

/** Files of src/ that break the rule, with the names. */
export function offenders(names) {
  const files = readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !file.includes('/locales/generated/'));
  return new Map(
    files
      .sort()
      .map((file) => [file, offendersIn(file, readFileSync(join(root, file), 'utf8'), names)])
      .filter(([, list]) => list.length),
  );
}

/** Files that exceed a baseline `{file: count}`, as sentences. */
export function problemsOf(found, baseline) {
  return [...found].flatMap(([file, list]) => {
    const allowed = baseline[file] ?? 0;
    if (list.length <= allowed) return [];
    const where = list.map(({ name, line }) => `'${name}' (line ${line})`).join(', ');
    return [`${file} names kinds ${list.length} times, ${allowed} allowed: ${where}`];
  });
}

if (process.argv[1] === import.meta.filename) {
  const found = offenders(await registeredNames());
  const counts = Object.fromEntries([...found].map(([file, list]) => [file, list.length]));
  const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'));
  const problems = problemsOf(found, baseline);
  for (const problem of problems) console.error(problem);
  const sum = (table) => Object.values(table).reduce((total, count) => total + count, 0);
  if (process.argv.includes('--list'))
    for (const [file, list] of found) for (const { name, line } of list) console.log(`${file}:${line} ${name}`);
  if (process.argv.includes('--write') && (!problems.length || process.argv.includes('--anew')))
    writeFileSync(baselineFile, `${JSON.stringify(counts, null, 2)}\n`);
  console.log(
    `${sum(counts)} names of kinds outside their modules (${sum(baseline)} in the baseline), ${problems.length} files with more than the baseline`,
  );
  process.exit(problems.length ? 1 : 0);
}
