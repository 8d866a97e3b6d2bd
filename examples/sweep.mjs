// A sweep without a page: two learning rates, two seeds each, one after the other on one device.
import { openTrainer, preset } from 'tabgym';

const steps = Number(process.argv[2] ?? 20);
const base = preset('micro');
const trainer = await openTrainer({ device: 'wasm' });
for (const learningRate of [0.002, 0.008]) {
  const successes = [];
  for (const seed of [1, 2]) {
    const experiment = {
      ...base,
      ...{ seed, steps, name: `lr ${learningRate}, seed ${seed}` },
      optimizer: { ...base.optimizer, learningRate },
      evaluation: { every: steps, episodes: 16 },
    };
    const run = await trainer.createRun(experiment);
    await run.train();
    const { evaluation } = (await run.records()).at(-1);
    successes.push(evaluation.test.policy.rate);
    await run.close();
  }
  const mean = successes.reduce((sum, rate) => sum + rate, 0) / successes.length;
  console.log(`learning rate ${learningRate}: held-out success ${mean.toFixed(2)} over ${successes.length} seeds`);
}
await trainer.close();
console.log('done');
