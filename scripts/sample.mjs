// Records the episode that the welcome page plays: `node scripts/sample.mjs RUN.tabgym`. Opens the run in the built
// page, replays the longest success of its newest step, and writes public/sample-episode.json and public/samples.json.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { chromiumArgs, findChromium, root } from './machine.mjs';

const file = process.argv[2];
if (!file) throw new Error('Missing a run: node scripts/sample.mjs RUN.tabgym');
const outDir = join(root, 'build/page-sample');

await buildWasm();
await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
const server = await preview({ root, logLevel: 'error', build: { outDir }, preview: { port: 0 } });
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
const page = await browser.newPage({ reducedMotion: 'reduce' });
await page.goto(server.resolvedUrls.local[0]);
await page.getByLabel('Preset').waitFor();
await page.keyboard.press('r');
await page.getByLabel('File to import').setInputFiles(resolve(file));
// The welcome page shows its own recorded episode first; wait for that of the imported run.
await page.waitForFunction(() => {
  const { run, recorded } = document.querySelector('tabgym-app').app.store.state;
  return run?.origin.kind === 'import' && recorded?.turns.length > 0;
});
const recording = await page.evaluate(() => {
  const { run, recorded } = document.querySelector('tabgym-app').app.store.state;
  const title = `${run.experiment.name}, step ${recorded.turns[0].step} of ${run.experiment.steps}`;
  return { title, turns: recorded.turns };
});
await browser.close();
await server.close();

writeFileSync(join(root, 'public/sample-episode.json'), `${JSON.stringify(recording)}\n`);
writeFileSync(join(root, 'public/samples.json'), `${JSON.stringify([{ file: 'sample-episode.json' }])}\n`);
console.log(`${recording.title}: ${recording.turns.map((turn) => turn.action).join(' -> ')}`);
