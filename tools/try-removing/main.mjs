// `npm run try-removing [-- NAME...] [--together] [--only types,lint,...] [--tests] [--keep]`: checks that a world can
// be removed.
// Removes everything of one world from a clean clone of the last commit (`remove.mjs` lists what that is) and runs the
// checks of what is left: all checks of the sources, both builds, and the tests that name the world (some five minutes
// a world). `--tests` runs every test of Node and of the page instead (half an hour a world). Without a name it tries
// every world; `--together` removes all of them from one clone. The world of the first preset cannot be removed: the
// page, its fixtures and its lessons start from it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/machine.mjs';
import { cleanClone } from '../clean-clone.mjs';
import { removeWorld, testsNaming } from './remove.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    tests: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

/** World that the page's first preset plays. */
const defaultWorld = JSON.parse(readFileSync(join(root, 'experiments/textcraft-first.json'), 'utf8')).worlds[0].name;

const worlds = readdirSync(join(root, 'src/worlds'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== defaultWorld)
  .map(({ name }) => name);

function run(folder, ...args) {
  try {
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return null;
  } catch (error) {
    return `node ${args.join(' ')} failed:\n${`${error.stdout}\n${error.stderr}`.trim().slice(-20_000)}`;
  }
}

const biome = 'node_modules/@biomejs/biome/bin/biome';

/** Runs tests of one project: all of them with `--tests`, else these files. */
function vitest(folder, project, files) {
  if (!values.tests && !files.length) return null;
  const chosen = values.tests ? [] : files;
  return run(folder, 'node_modules/vitest/vitest.mjs', 'run', '--project', project, '--reporter', 'dot', ...chosen);
}

/** Builds that tests need: tests of guarded worlds start the built worker, and one compares docs/experiment.md with the schemas. */
const prepare = (folder) => run(folder, 'scripts/run.mjs', '--build') ?? run(folder, 'scripts/docs.mjs');

/** Tests of the page that go through the lists of presets, lessons and agents, whatever worlds they name. */
const listPages = ['simple', 'lessons', 'agents', 'links'].map((name) => `tests/page/${name}.test.ts`);

const checks = {
  types: (folder) => run(folder, 'node_modules/typescript/bin/tsc', '--noEmit'),
  // Biome judges each file alone, so that only the files that lost a line are read. Such a list may fit on one line: the
  // formatter comes first.
  lint: (folder, _, changed) =>
    run(folder, biome, 'format', '--write', ...changed) ??
    run(folder, biome, 'ci', '--colors=off', '--error-on-warnings', ...changed),
  imports: (folder) => run(folder, 'scripts/cycles.mjs'),
  names: (folder) => run(folder, 'scripts/kind-names.mjs'),
  lengths: (folder) => run(folder, 'scripts/lengths.mjs'),
  exports: (folder) =>
    run(folder, 'node_modules/knip/bin/knip.js', '--no-progress', '--include', 'exports,types,files'),
  // Chinese texts of the removed view are dropped, as `npm run localize` does.
  build: (folder) =>
    run(folder, 'scripts/build-wasm.mjs') ??
    run(folder, 'scripts/localize.mjs') ??
    run(folder, 'scripts/localize.mjs', '--check') ??
    run(folder, 'node_modules/vite/bin/vite.js', 'build') ??
    run(folder, 'scripts/run.mjs', '--build'),
  node: (folder, gone) =>
    prepare(folder) ??
    vitest(
      folder,
      'node',
      naming(folder, gone).filter((file) => !isOfPage(file)),
    ),
  page: (folder, gone) => vitest(folder, 'page', [...listPages, ...naming(folder, gone).filter(isOfPage)]),
};
// `exports` lists shared code that only this world used. It is deleted by hand, so that the check runs only if named.
const chosen = values.only ? values.only.split(',') : Object.keys(checks).filter((name) => name !== 'exports');

const naming = (folder, gone) => [...new Set(gone.flatMap((world) => testsNaming(folder, world)))];
const isOfPage = (file) => file.startsWith('tests/page/');

/** Removes worlds from a clone and runs the checks. Returns the number of those that fail. */
function tryRemoving(gone) {
  const name = gone.join(', ');
  if (gone.includes(defaultWorld)) {
    console.error(`${defaultWorld}: cannot be removed, because the first preset plays it.`);
    return 1;
  }
  const folder = cleanClone('tabgym-removing-');
  try {
    const shorter = new Set();
    for (const world of gone) {
      const { removed, changed } = removeWorld(folder, world);
      for (const file of removed) shorter.delete(file);
      for (const file of changed) shorter.add(file);
      console.log(`${world}: ${removed.length} files removed, a line less in ${changed.join(', ')}`);
    }
    let failures = 0;
    for (const check of chosen) {
      const failure = checks[check](folder, gone, shorter);
      if (failure) failures++;
      console.log(failure ? `${name}, ${check}: ${failure}` : `${name}, ${check}: ok`);
    }
    return failures;
  } finally {
    if (values.keep) console.log(`the clone is ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = positionals.length ? positionals : worlds;
const failed = (values.together ? [wanted] : wanted.map((world) => [world])).reduce(
  (sum, gone) => sum + tryRemoving(gone),
  0,
);
process.exit(failed ? 1 : 0);
