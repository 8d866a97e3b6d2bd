// `npm run try-removing [-- NAME...] [--only types,lint,...] [--tests] [--keep]`: checks that a world can be removed.
// Removes everything of one world from a clean clone of the last commit (`remove.mjs` lists what that is) and runs the
// checks of what is left. Without a name it tries every world. The world of the first preset cannot be removed: the
// page, its fixtures and its lessons start from it.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/machine.mjs';
import { removeWorld } from './remove.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    tests: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

/** World that the page's first preset plays. */
const defaultWorld = JSON.parse(readFileSync(join(root, 'experiments/textcraft-first.json'), 'utf8')).worlds[0].name;

const worlds = readdirSync(join(root, 'src/worlds'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== defaultWorld)
  .map(({ name }) => name);

function clone() {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-removing-'));
  execFileSync('git', ['clone', '--quiet', root, folder], { stdio: 'inherit' });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // .gitignore names the folder, not a link to it.
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  // Compiled worlds and kernels are compiled again only if a source of theirs is newer.
  if (existsSync(join(root, 'build/wasm')))
    cpSync(join(root, 'build/wasm'), join(folder, 'build/wasm'), { recursive: true });
  return folder;
}

function run(folder, ...args) {
  try {
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return null;
  } catch (error) {
    return `node ${args.join(' ')} failed:\n${`${error.stdout}\n${error.stderr}`.trim().slice(-20_000)}`;
  }
}

const biome = 'node_modules/@biomejs/biome/bin/biome';
const checks = {
  types: (folder) => run(folder, 'node_modules/typescript/bin/tsc', '--noEmit'),
  // A list that lost a line may fit on one: the formatter comes first.
  lint: (folder) =>
    run(folder, biome, 'format', '--write', '.') ??
    run(folder, biome, 'ci', '--colors=off', '--error-on-warnings', '.'),
  imports: (folder) => run(folder, 'scripts/cycles.mjs'),
  names: (folder) => run(folder, 'scripts/kind-names.mjs'),
  // Chinese texts of the removed view are dropped, as `npm run localize` does.
  build: (folder) =>
    run(folder, 'scripts/build-wasm.mjs') ??
    run(folder, 'scripts/localize.mjs') ??
    run(folder, 'scripts/localize.mjs', '--check') ??
    run(folder, 'node_modules/vite/bin/vite.js', 'build') ??
    run(folder, 'scripts/run.mjs', '--build'),
  // Tests of guarded worlds start the built worker, and one compares docs/experiment.md with the schemas.
  tests: (folder) =>
    run(folder, 'scripts/run.mjs', '--build') ??
    run(folder, 'scripts/docs.mjs') ??
    run(folder, 'node_modules/vitest/vitest.mjs', 'run', '--project', 'node', '--reporter', 'dot'),
};
const chosen = values.only
  ? values.only.split(',')
  : Object.keys(checks).filter((name) => name !== 'tests' || values.tests);

/** Removes a world and runs the checks. Returns the number of those that fail. */
function tryRemoving(world) {
  if (world === defaultWorld) {
    console.error(`${world}: cannot be removed, because the first preset plays it.`);
    return 1;
  }
  const folder = clone();
  try {
    const { removed, changed } = removeWorld(folder, world);
    console.log(`${world}: ${removed.length} files removed, a line less in ${changed.join(', ')}`);
    const failures = chosen.map((name) => [name, checks[name](folder)]).filter(([, failure]) => failure);
    for (const [name, failure] of failures) console.error(`${world}, ${name}: ${failure}`);
    if (!failures.length) console.log(`${world}: ok (${chosen.join(', ')})`);
    return failures.length;
  } finally {
    if (values.keep) console.log(`the clone is ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

const failed = (positionals.length ? positionals : worlds).reduce((sum, world) => sum + tryRemoving(world), 0);
process.exit(failed ? 1 : 0);
