// Records the try that the page plays until something trains: `node scripts/sample.mjs [PRESET]`. The preset's policy
// plays held-out tasks with its random weights, in the built page; the longest failure is written to
// public/sample-episode.json, which public/samples.json names. TABGYM_PAGE: address of a page that is served already.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { chromiumArgs, findChromium, root } from './machine.mjs';

const [preset = 'Maze, first steps'] = process.argv.slice(2);
const tasks = 40;

async function servePage() {
  const outDir = join(root, 'build/page-sample');
  await buildWasm();
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  return preview({ root, logLevel: 'error', build: { outDir }, preview: { port: 0 } });
}

const server = process.env.TABGYM_PAGE ? null : await servePage();
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
const page = await browser.newPage({ reducedMotion: 'reduce' });
page.setDefaultTimeout(300_000);
await page.goto(process.env.TABGYM_PAGE ?? server.resolvedUrls.local[0]);
await page.waitForFunction(() => document.querySelector('tabgym-app')?.app?.store.state.phase === 'ready', null, {
  timeout: 300_000,
});
const turns = await page.evaluate(
  async ([name, count]) => {
    const { app } = document.querySelector('tabgym-app');
    const experiment = app.store.state.presets.find((each) => each.name === name);
    const { id } = await app.api.createRun(experiment);
    const options = { weights: 'first', split: 'test', tasks: Array.from({ length: count }, (_, k) => k) };
    const tries = await app.api.tries(id, options);
    const failures = tries.filter((each) => each.at(-1).reward === 0);
    return failures.sort((a, b) => b.length - a.length)[0];
  },
  [preset, tasks],
);
await browser.close();
await server?.close();

const recording = { title: `${preset}, before training`, turns };
writeFileSync(join(root, 'public/sample-episode.json'), `${JSON.stringify(recording)}\n`);
writeFileSync(join(root, 'public/samples.json'), `${JSON.stringify([{ file: 'sample-episode.json' }])}\n`);
console.log(`${recording.title}: ${turns.map(({ action }) => action).join(' -> ')}`);
