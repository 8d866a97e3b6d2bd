// A sweep without a page: two learning rates with two seeds each, which take turns on one device.
import { openTrainer, preset } from 'tabgym';

const steps = Number(process.argv[2] ?? 20);
const rates = [0.002, 0.008];
const trainer = await openTrainer({ device: 'wasm' });
const sweep = await trainer.openSweep({
  ...preset('micro'),
  steps,
  evaluation: { every: steps, episodes: 16 },
  sweep: {
    seeds: [1, 2],
    variants: rates.map((rate) => ({ name: `learning rate ${rate}`, changes: { 'optimizer.learningRate': rate } })),
  },
});
sweep.on('state', ({ done, total }) => console.log(`${done} of ${total} steps`));
await sweep.train();
const runs = await sweep.runs();
for (const variant of rates.keys()) {
  const own = runs.filter((run) => run.variant === variant);
  const successes = own.map(({ records }) => records.at(-1).evaluation.test.policy.rate);
  const mean = successes.reduce((sum, rate) => sum + rate, 0) / successes.length;
  console.log(`${own[0].variantName}: held-out success ${mean.toFixed(2)} over ${successes.length} seeds`);
}
await trainer.close();
console.log('done');
