// An objective of one's own in place of GRPO's: REINFORCE with an asymmetric weight. It is part of the experiment and
// runs in a sandbox, so the caller must allow it.
import { createRun, preset } from 'tabgym';

const objectiveCode = `
export function objective(rows, settings) {
  const { count, logprob, oldLogprob, advantage, coefficient } = rows;
  const loss = new Float64Array(count);
  const weight = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const ratio = Math.exp(logprob[i] - oldLogprob[i]);
    // Failures teach half as much as successes.
    const credit = (advantage[i] < 0 ? 0.5 : 1) * advantage[i];
    loss[i] = -coefficient[i] * credit * ratio;
    weight[i] = -coefficient[i] * credit * ratio;
  }
  return { loss, weight };
}`;

const base = preset('micro');
const experiment = { ...base, steps: 3, algorithm: { ...base.algorithm, objectiveCode } };
const run = await createRun(experiment, { device: 'wasm', allowCode: true });
run.on('step', ({ step, metrics }) => {
  if (step > 0) console.log(`step ${step}: gradient norm ${metrics.gradNorm.toFixed(3)}`);
});
await run.train();
await run.close();
console.log('done');
