// `npm test`: runs all checks one after the other, each with its result, and prints one closing line. A failing check
// does not hide those after it. `npm test -- NAME...` runs only the named checks; `kernels`, `mesa` and `firefox` run
// only if named.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findFirefox, findMesaDriver, requireBrowser, root } from './machine.mjs';

const results = join(root, 'build/test');
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;
const bin = (path, ...args) => node(join('node_modules', path), ...args);

/** Runs a Vitest project and counts its tests. A run that dies before it can report counts as one failure. */
function vitest(project, files = []) {
  const report = join(results, `${project}.json`);
  rmSync(report, { force: true });
  const ok = bin(
    'vitest/vitest.mjs',
    'run',
    '--project',
    project,
    ...files,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  );
  if (!existsSync(report)) return { passed: 0, failed: ok ? 0 : 1 };
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  // A file that fails to load has no failed test, and an unhandled error belongs to no test.
  const failed = Math.max(numFailedTests, ok ? 0 : Math.max(1, numFailedTests, numFailedTestSuites ? 1 : 0));
  return { passed: numPassedTests, failed, skipped: numPendingTests, failures: testResults.flatMap(failuresOf) };
}

/** Failed tests of a file, with the first line of each message. */
function failuresOf({ name, message, assertionResults }) {
  const firstLine = (text = '') => text.split('\n')[0].slice(0, 300);
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (!failed.length && message) return [`${file}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
}

const both = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: (a.skipped ?? 0) + (b.skipped ?? 0),
  failures: [...(a.failures ?? []), ...(b.failures ?? [])],
});

const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });

const checks = {
  build: () => one(node('scripts/run.mjs', '--build')),
  bundle: () => one(bin('vite/bin/vite.js', 'build', '--logLevel', 'warn')),
  types: () => one(bin('typescript/bin/tsc', '--noEmit')),
  lint: () =>
    both(
      one(bin('@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.')),
      one(node('scripts/lint-wasm.mjs')),
    ),
  imports: () => one(node('scripts/cycles.mjs')),
  names: () => one(node('scripts/kind-names.mjs')),
  lengths: () => one(node('scripts/lengths.mjs')),
  exports: () => one(bin('knip/bin/knip.js', '--no-progress', '--include', 'exports,types,files')),
  paths: () => one(node('scripts/paths.mjs')),
  size: () => one(node('scripts/size.mjs')),
  chinese: () => one(node('scripts/localize.mjs', '--warn')),
  node: () => vitest('node'),
  chromium: () => vitest('chromium'),
  page: () => vitest('page'),
};

/** Prints what a check needs and this machine lacks. Counts as a failure, because the check was named explicitly. */
function reportMissing(what, advice) {
  console.error(`Not found: ${what}. ${advice}`);
  return { passed: 0, failed: 1, failures: [`${what} is not installed`] };
}

/** Run only if named: too slow for every run, or dependent on software that a newcomer lacks. */
const onRequest = {
  /** Every form of the kernels: minutes of shader compilation on a software adapter. */
  kernels: () => {
    process.env.TABGYM_KERNELS = 'all';
    return vitest('node', ['tests/policy/attention.test.ts', 'tests/policy/quantized-kernels.test.ts']);
  },
  /** The checks of `node` on Mesa's lavapipe, which has shader-f16, subgroups and timestamps. */
  mesa: () => {
    const driver = findMesaDriver();
    if (!driver)
      return reportMissing(
        "Mesa's software Vulkan driver",
        'On Debian: sudo apt-get install mesa-vulkan-drivers (25 or later has f16).',
      );
    process.env.TABGYM_ADAPTER = driver;
    return vitest('node');
  },
  /** Kernels and the page in Firefox, which has a different WGSL compiler. */
  firefox: () => {
    if (!findFirefox())
      return reportMissing('Firefox', 'On Debian: sudo apt-get install firefox-esr; or name one: TABGYM_FIREFOX=PATH.');
    process.env.TABGYM_FIREFOX_TESTS = '1';
    return both(vitest('firefox'), vitest('page', ['tests/page/firefox']));
  },
};

function run(names) {
  const table = [];
  for (const name of names) {
    console.log(`\n== ${name}`);
    const started = Date.now();
    table.push({ name, ...{ ...checks, ...onRequest }[name](), seconds: Math.round((Date.now() - started) / 1000) });
  }
  return table;
}

function report(table) {
  // Printed after all output of the checks, so that a reader of the end finds them.
  const failures = table.flatMap((row) => row.failures ?? []);
  if (failures.length) console.log(`\n== failed\n${failures.join('\n')}`);
  console.log('\n== results');
  for (const { name, passed, failed, skipped, seconds } of table)
    console.log(
      `${failed ? 'FAILED' : 'ok    '} ${name.padEnd(9)} ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}  (${seconds} s)`,
    );
  const total = (key) => table.reduce((sum, row) => sum + row[key], 0);
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
process.exit(report(run(wanted.length ? wanted : Object.keys(checks))) ? 0 : 1);
