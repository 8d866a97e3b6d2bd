// `npm run images [-- --built]`: the packed file as tabgym.tgz in each folder of images/. `npm run test:images [-- --built]` then follows each
// Dockerfile's steps in a new folder, without Docker, and runs its health check. `--built` uses build/package as it is.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from './build-package.mjs';
import { root } from './machine.mjs';

const images = readdirSync(join(root, 'images')).filter((name) => existsSync(join(root, 'images', name, 'Dockerfile')));
const patienceMs = 60_000;

function pack() {
  const built = join(root, 'build/package');
  const { stdout, status, stderr } = spawnSync('npm', ['pack', '--silent'], {
    cwd: built,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const file = join(built, stdout.trim());
  for (const name of images) cpSync(file, join(root, 'images', name, 'tabgym.tgz'));
  renameSync(file, join(root, 'build/tabgym.tgz'));
}

/** Instructions of a Dockerfile as pairs; continued lines are joined. */
const instructionsOf = (text) =>
  text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);

/** Sentences on what a Dockerfile lacks. */
function problemsOf(instructions) {
  const last = (name) => instructions.findLast(([word]) => word === name)?.[1];
  const stage = instructions.slice(instructions.findLastIndex(([word]) => word === 'FROM'));
  const problems = [];
  if (last('USER') !== 'node' || !stage.some(([word]) => word === 'USER'))
    problems.push('it does not run as the user node');
  if (!last('HEALTHCHECK')) problems.push('it has no health check');
  for (const [word, value] of instructions)
    if (word === 'FROM' && !/^node:\d+-(?:alpine|slim)\b/.test(value)) problems.push(`its base is ${value}`);
  if (stage.some(([word, value]) => word === 'RUN' && value.includes('npm')))
    problems.push('its last stage installs packages');
  return problems;
}

/** Copies and installs as the instructions say. Returns the steps that it left out. */
function follow(instructions, source, folder) {
  const leftOut = [];
  for (const [word, value] of instructions) {
    if (word === 'COPY' && !value.startsWith('--from')) {
      const [from, to] = value.split(' ');
      cpSync(join(source, from), join(folder, to, from));
    } else if (word === 'RUN' && value.startsWith('npm ')) {
      const { status, stderr } = spawnSync(value, { cwd: folder, shell: true, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${value}: ${stderr}`);
    } else if (word === 'RUN') leftOut.push(value);
  }
  return leftOut;
}

const commandOf = (instructions, name) => {
  const value = instructions.findLast(([word]) => word === name)?.[1];
  return value ? JSON.parse(value.slice(value.indexOf('['))) : [];
};

/** Runs the health check until it passes or the program ends. */
async function isHealthy(check, child) {
  const until = Date.now() + patienceMs;
  while (Date.now() < until && child.exitCode === null) {
    if (spawnSync(check[0], check.slice(1)).status === 0) return true;
    await new Promise((next) => setTimeout(next, 500));
  }
  return false;
}

async function test(name) {
  const source = join(root, 'images', name);
  const instructions = instructionsOf(readFileSync(join(source, 'Dockerfile'), 'utf8'));
  const problems = problemsOf(instructions);
  const folder = mkdtempSync(join(tmpdir(), `tabgym-${name}-`));
  try {
    const leftOut = follow(instructions, source, folder);
    // The proxy's configuration is mounted.
    writeFileSync(
      join(folder, 'proxy.json'),
      '{"host": "0.0.0.0", "forward": [{"name": "babyai", "address": "http://127.0.0.1:36002"}]}\n',
    );
    const [program, ...words] = [...commandOf(instructions, 'ENTRYPOINT'), ...commandOf(instructions, 'CMD')];
    const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    const healthy = await isHealthy(commandOf(instructions, 'HEALTHCHECK'), child);
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await new Promise((ended) => child.on('exit', ended));
    }
    if (!healthy) problems.push(`its health check does not pass:\n${printed}`);
    for (const step of leftOut) console.log(`left out of ${name}: ${step}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(
    `${problems.length ? 'FAILED' : 'ok    '} images/${name}${problems.map((each) => `\n  ${each}`).join('')}`,
  );
  return problems.length;
}

const isTest = process.argv.includes('--test');
if (!process.argv.includes('--built')) await buildPackage({ page: false });
pack();
let failed = 0;
if (isTest) for (const name of images) failed += await test(name);
process.exit(failed ? 1 : 0);
