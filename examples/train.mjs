// Twelve lines train TextCraft for 20 steps and keep the run, which the page of Tabgym opens.
import { writeFileSync } from 'node:fs';
import { createRun, preset } from 'tabgym';

const run = await createRun({ ...preset('textcraft-first'), steps: 20 }, { device: 'wasm' });
run.on('step', ({ step, metrics }) => {
  if (step > 0) console.log(`step ${step}: success ${metrics.success.toFixed(2)}`);
});
await run.train();
writeFileSync('run.tabgym', await run.export());
await run.close();
console.log('done');
