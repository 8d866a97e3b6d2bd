// `npm run try-adding [-- --keep]`: checks that a world, an algorithm and a rule for goals need only the files that docs/adding.md shows.
// Puts those files into a clean clone of the last commit. There, `git status` must show them and one added line in each
// list, every check of the sources must pass, the docs, `--help` and the plan must list the additions, and they must
// train, on the command line and in the page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgs, findChromium, requireBrowser } from '../../scripts/machine.mjs';
import { startPage, trainOneStep } from '../../scripts/start-page.mjs';
import { cleanClone } from '../clean-clone.mjs';
import { readBlocks } from './blocks.mjs';

const keep = process.argv.includes('--keep');
const minute = 60_000;

/** Name and label of a module shown on the page; null if it shows none in that place. */
function kindIn(blocks, place, labelField, nameField = 'name') {
  const block = blocks.find(({ path, text }) => place.test(path) && text.includes(`  ${nameField}: '`));
  if (!block) return null;
  // The module's own fields have two spaces; those of its options have more.
  const field = (name) => new RegExp(`^ {2}${name}: '([^']+)'`, 'm').exec(block.text)?.[1];
  return { name: field(nameField), label: field(labelField) };
}

/** Inserts a line into a sorted list of exports, because the formatter keeps them in order. */
function withLine(list, line) {
  const later = list.split('\n').find((each) => each.startsWith('export') && each > line.trim());
  return later ? list.replace(later, `${line.trim()}\n${later}`) : `${list}${line}`;
}

function put(folder, { path, line, text }) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, line ? withLine(readFileSync(file, 'utf8'), text) : text);
}

/** Changes in a checkout: `git status` as sorted lines, and the number of changed lines per existing file. */
function changesIn(folder) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
  return { status: git('status', '--porcelain', '-uall').sort(), changed: git('diff', '--numstat').sort() };
}

const expectedChanges = (blocks) => ({
  status: blocks.map(({ path, line }) => `${line ? ' M' : '??'} ${path}`).sort(),
  changed: blocks.flatMap(({ path, line }) => (line ? [`1\t0\t${path}`] : [])).sort(),
});

/** Runs a command in the clone and returns its output. A failure is thrown with its output. */
function run(folder, ...args) {
  console.log(`> node ${args.join(' ')}`);
  try {
    return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`node ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
  }
}

function mustList(where, text, kinds) {
  for (const { name, label } of kinds)
    for (const words of [name, label])
      if (!text.includes(words)) throw new Error(`${where} does not list "${words}":\n${text.slice(0, 3000)}`);
  console.log(`${where} lists ${kinds.map(({ name }) => name).join(' and ')}`);
}

/** The smallest run, in the new world, with the new algorithm's defaults and the new rule for goals. */
function experimentOf(folder, world, algorithm, rule) {
  const micro = JSON.parse(readFileSync(join(folder, 'experiments/micro.json'), 'utf8'));
  const { groups, groupSize, minibatches, innerEpochs } = micro.algorithm;
  const own = algorithm && { name: algorithm.name, groups, groupSize, minibatches, innerEpochs };
  const worlds = [{ name: world.name, weight: 1 }];
  const settings = own ?? micro.algorithm;
  const goals = rule && { goals: { rule: rule.name } };
  return {
    ...micro,
    name: 'Added',
    steps: 2,
    worlds,
    algorithm: settings,
    horizon: [{ steps: 2, turns: 4 }],
    ...goals,
  };
}

function checkSources(folder, blocks) {
  const sources = blocks.map(({ path }) => path).filter((path) => path.endsWith('.ts'));
  run(folder, 'node_modules/typescript/bin/tsc', '--noEmit');
  run(folder, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', ...sources);
  for (const check of ['cycles', 'kind-names', 'lengths']) run(folder, `scripts/${check}.mjs`);
  console.log('types, lint, imports, names and lengths pass');
}

function checkCommands(folder, world, algorithm, rule) {
  const kinds = [world, algorithm].filter((kind) => kind !== null);
  run(folder, 'scripts/docs.mjs');
  const documented = rule ? [...kinds, rule] : kinds;
  mustList('docs/experiment.md', readFileSync(join(folder, 'docs/experiment.md'), 'utf8'), documented);
  mustList('--help', run(folder, 'scripts/run.mjs', 'train', '--help'), kinds);
  const file = join(folder, 'experiments/added.json');
  writeFileSync(file, JSON.stringify(experimentOf(folder, world, algorithm, rule)));
  const plan = run(folder, 'scripts/run.mjs', 'plan', file);
  for (const { label } of kinds)
    if (!plan.includes(label)) throw new Error(`The plan does not name ${label}:\n${plan}`);
  console.log(`the plan names ${kinds.map(({ label }) => label).join(' and ')}`);
  const trained = run(folder, 'scripts/run.mjs', 'train', file, '--out', join(folder, 'build/added'));
  if (!/step 2\/2 /.test(trained)) throw new Error(`The run did not reach its second step:\n${trained}`);
  console.log('the command line trained two steps');
}

async function chooseIn(page, knob, { name, label }) {
  const select = page.locator('tabgym-setup').getByRole('combobox', { name: knob, exact: true });
  await select.waitFor({ timeout: minute });
  const words = await select.locator('option').allTextContents();
  if (!words.some((each) => each.trim() === label))
    throw new Error(`${knob} offers ${words.join(', ')}, not ${label}.`);
  await select.selectOption(name);
}

async function checkPage(folder, world, algorithm) {
  const { address, stop } = await startPage(folder);
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const errors = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(`${address}#view=lab`);
    await page.getByLabel('Preset').selectOption({ label: 'Micro' });
    await chooseIn(page, 'World', world);
    if (algorithm) await chooseIn(page, 'Algorithm', algorithm);
    const step = await trainOneStep(page);
    if (errors.length) throw new Error(`The page threw: ${errors.join('; ')}`);
    console.log(
      `the page offers ${[world, algorithm].flatMap((kind) => kind?.label ?? []).join(' and ')}, and trained: ${step.trim()}`,
    );
  } finally {
    await browser.close();
    await stop();
  }
}

async function tryAdding(folder) {
  const blocks = readBlocks(readFileSync(join(folder, 'docs/adding.md'), 'utf8'));
  const world = kindIn(blocks, /^src\/worlds\//, 'title');
  const algorithm = kindIn(blocks, /^src\/rl\/algorithms\//, 'label');
  const rule = kindIn(blocks, /^src\/rl\/goals\/rules\//, 'label', 'rule');
  if (!world) throw new Error('docs/adding.md shows no world.');
  if (!algorithm) console.log('docs/adding.md shows no algorithm, so only the world is tried');
  for (const block of blocks) put(folder, block);
  const [got, expected] = [changesIn(folder), expectedChanges(blocks)];
  if (JSON.stringify(got) !== JSON.stringify(expected))
    throw new Error(`git shows ${JSON.stringify(got, null, 1)}, not ${JSON.stringify(expected, null, 1)}`);
  console.log(`git status: ${got.status.join(', ')}; lines changed in others: ${got.changed.length}`);
  checkSources(folder, blocks);
  checkCommands(folder, world, algorithm, rule);
  await checkPage(folder, world, algorithm);
}

requireBrowser();
const folder = cleanClone('tabgym-adding-');
try {
  await tryAdding(folder);
  console.log('ok: the files in docs/adding.md are sufficient');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (keep) console.log(`the clone is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
process.exit();
