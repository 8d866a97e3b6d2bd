// `npm test`: runs all checks, each with its result, and prints one closing line. A failing check does not hide those
// after it. `npm test -- NAME...` runs only the named checks; `slow`, `kernels`, `mesa` and `firefox` run only if named.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findFirefox, findMesaDriver, requireBrowser, root } from './machine.mjs';

const results = join(root, 'build/test');

/** Runs a program with Node, true if it succeeds. Its output appears at once, or whole at its end if others run beside it. */
function run(args, { env = {}, beside = false } = {}) {
  const stdio = beside ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(process.execPath, args, { cwd: root, stdio, env: { ...process.env, ...env } });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => pieces.push(piece));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(pieces));
      resolve(code === 0);
    });
  });
}

const bin = (path, ...args) => [join('node_modules', path), ...args];

/**
 * Runs a Vitest project and counts its tests. A run that dies before it can report counts as one failure. `tags`: a
 * filter such as `!slow`; tests with the tag `slow` that did not run are counted apart from those that skip themselves.
 */
async function vitest(project, { files = [], tags, env } = {}) {
  const report = join(results, `${project}.json`);
  rmSync(report, { force: true });
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  if (tags) options.push(`--tags-filter=${tags}`);
  // `node*`: also the files that mock modules, which are a project of their own.
  const pattern = project === 'node' ? 'node*' : project;
  const ok = await run(bin('vitest/vitest.mjs', 'run', '--project', pattern, ...files, ...options), { env });
  if (!existsSync(report)) return { passed: 0, failed: ok ? 0 : 1 };
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const others = testResults.flatMap(({ assertionResults }) => assertionResults.filter(isLeftOut));
  const slow = tags === '!slow' ? others.filter((test) => test.tags.includes('slow')).length : 0;
  const skipped = tags === 'slow' ? 0 : numPendingTests - slow;
  // A file that fails to load has no failed test, and an unhandled error belongs to no test.
  const failed = Math.max(numFailedTests, ok ? 0 : Math.max(1, numFailedTests, numFailedTestSuites ? 1 : 0));
  return { passed: numPassedTests, failed, skipped, slow, failures: testResults.flatMap(failuresOf) };
}

const isLeftOut = ({ status }) => status !== 'passed' && status !== 'failed';

/** Failed tests of a file, with the first line of each message. */
function failuresOf({ name, message, assertionResults }) {
  const firstLine = (text = '') => text.split('\n')[0].slice(0, 300);
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (!failed.length && message) return [`${file}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
}

const sum = (...all) => ({
  passed: all.reduce((n, each) => n + each.passed, 0),
  failed: all.reduce((n, each) => n + each.failed, 0),
  skipped: all.reduce((n, each) => n + (each.skipped ?? 0), 0),
  failures: all.flatMap((each) => each.failures ?? []),
});

const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });

/** A check of one program, or of several in order. */
const programs =
  (...all) =>
  async (options) => {
    const counts = [];
    for (const args of all) counts.push(one(await run(args, options)));
    return sum(...counts);
  };

/** Checks of the sources. They run at the same time as the tests in Chromium, because both mostly use one thread. */
const sources = {
  // The package's declarations have rules of their own: a type that an export uses must have a name outside its file.
  types: programs(
    bin('typescript/bin/tsc', '--noEmit'),
    bin('typescript/bin/tsc', '-p', 'tsconfig.package.json', '--noEmit'),
  ),
  lint: programs(bin('@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.'), [
    'scripts/lint-wasm.mjs',
  ]),
  imports: programs(['scripts/cycles.mjs']),
  names: programs(['scripts/kind-names.mjs']),
  entries: programs(['scripts/entries.mjs']),
  lengths: programs(['scripts/lengths.mjs']),
  exports: programs(bin('knip/bin/knip.js', '--no-progress', '--include', 'exports,types,files')),
  paths: programs(['scripts/paths.mjs']),
  chinese: programs(['scripts/localize.mjs', '--warn']),
};

const checks = {
  build: programs(['scripts/run.mjs', '--build']),
  bundle: programs(bin('vite/bin/vite.js', 'build', '--logLevel', 'warn')),
  size: (options) => run(['scripts/size.mjs', ...(isBundled() ? ['build/page'] : [])], options).then(one),
  ...sources,
  chromium: () => vitest('chromium', { tags: '!slow', env: { TABGYM_DAILY: '1' } }),
  node: () => vitest('node', { tags: '!slow' }),
  page: () => vitest('page', { tags: '!slow' }),
};

/** True if this run has built the page already. */
const isBundled = () => table.some(({ name, failed }) => name === 'bundle' && !failed);

/** Prints what a check needs and this machine lacks. Counts as a failure, because the check was named explicitly. */
function reportMissing(what, advice) {
  console.error(`Not found: ${what}. ${advice}`);
  return { passed: 0, failed: 1, failures: [`${what} is not installed`] };
}

/** Run only if named: too slow for every run, or dependent on software that a newcomer lacks. */
const onRequest = {
  /** Tests with the tag `slow`, and every file that `chromium` can run. */
  slow: async () =>
    sum(await vitest('node', { tags: 'slow' }), await vitest('chromium'), await vitest('page', { tags: 'slow' })),
  /** Every form of the kernels: minutes of shader compilation on a software adapter. */
  kernels: () =>
    vitest('node', {
      files: ['tests/policy/attention.test.ts', 'tests/policy/quantized-kernels.test.ts'],
      env: { TABGYM_KERNELS: 'all' },
    }),
  /** The checks of `node` on Mesa's lavapipe, which has shader-f16, subgroups and timestamps. */
  mesa: () => {
    const driver = findMesaDriver();
    if (driver) return vitest('node', { env: { TABGYM_ADAPTER: driver } });
    return reportMissing(
      "Mesa's software Vulkan driver",
      'On Debian: sudo apt-get install mesa-vulkan-drivers (25 or later has f16).',
    );
  },
  /** Kernels and the page in Firefox, which has a different WGSL compiler. */
  firefox: async () => {
    if (!findFirefox())
      return reportMissing('Firefox', 'On Debian: sudo apt-get install firefox-esr; or name one: TABGYM_FIREFOX=PATH.');
    const env = { TABGYM_FIREFOX_TESTS: '1' };
    return sum(await vitest('firefox', { env }), await vitest('page', { files: ['tests/page/firefox'], env }));
  },
};

/** Results of the checks so far. */
const table = [];

/** Runs checks one after the other. `beside`: others run at the same time. */
async function runInOrder(names, beside = false) {
  for (const name of names) {
    if (!beside) console.log(`\n== ${name}`);
    const started = Date.now();
    const result = await { ...checks, ...onRequest }[name]({ beside });
    if (beside) console.log(`== ${name}: ${result.failed ? 'FAILED' : 'ok'}`);
    table.push({ name, ...result, seconds: Math.round((Date.now() - started) / 1000) });
  }
}

/** Runs the checks of the sources beside the tests if both are wanted. */
async function runAll(names) {
  const first = names.filter((name) => ['build', 'bundle', 'size'].includes(name));
  const ofSources = names.filter((name) => name in sources);
  const rest = names.filter((name) => !first.includes(name) && !ofSources.includes(name));
  await runInOrder(first);
  await Promise.all([runInOrder(ofSources, rest.length > 0), runInOrder(rest)]);
}

function report() {
  // Printed after all output of the checks, so that they are at the end.
  const failures = table.flatMap((row) => row.failures ?? []);
  if (failures.length) console.log(`\n== failed\n${failures.join('\n')}`);
  console.log('\n== results');
  for (const { name, passed, failed, skipped, slow, seconds } of table) {
    const others = (skipped ? `, ${skipped} skipped` : '') + (slow ? `, ${slow} slow not run` : '');
    console.log(
      `${failed ? 'FAILED' : 'ok    '} ${name.padEnd(9)} ${passed} passed, ${failed} failed${others}  (${seconds} s)`,
    );
  }
  const total = (key) => table.reduce((n, row) => n + (row[key] ?? 0), 0);
  if (total('slow')) console.log(`${total('slow')} slow tests not run (npm run test:slow)`);
  const line = `${total('passed')} passed, ${total('failed')} failed`;
  writeFileSync(join(results, 'summary.txt'), `${line}\n`);
  console.log(line);
  return total('failed') === 0;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in checks || name in onRequest));
if (unknown.length) {
  console.error(
    `No such check: ${unknown.join(', ')}. Choose from ${Object.keys({ ...checks, ...onRequest }).join(', ')}.`,
  );
  process.exit(2);
}
mkdirSync(results, { recursive: true });
rmSync(join(results, 'summary.txt'), { force: true });
requireBrowser();
await runAll(wanted.length ? wanted : Object.keys(checks));
process.exit(report() ? 0 : 1);
