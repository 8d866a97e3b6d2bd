// `npm run docs`: writes the pages of docs/ that are generated from the code: every field of an experiment, every
// metric.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { root } from './machine.mjs';

const load = async (path) =>
  (await runnerImport(join(root, path), { root, configFile: false, logLevel: 'error' })).module;
const { experimentDocument } = await load('src/experiment/guide.ts');
const { metricsDocument } = await load('src/rl/metrics/document.ts');

for (const [name, text] of [
  ['experiment', experimentDocument()],
  ['metrics', metricsDocument()],
]) {
  writeFileSync(join(root, `docs/${name}.md`), text);
  console.log(`docs/${name}.md`);
}
