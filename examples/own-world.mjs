// A world of one's own, typed as JavaScript: the agent opens one of three boxes, and a hint names the right one. It is part
// of the experiment and runs in a sandbox, so the caller must allow it.
import { createRun, preset } from 'tabgym';

const code = `
const boxes = ['red', 'green', 'blue'];
let right;

export function tasks() {
  return boxes.flatMap((box) => Array.from({ length: 20 }, (_, number) => ({ box, number })));
}
export function reset(task) {
  right = task.box;
  return 'the coin is in the ' + right + ' box';
}
export function step(action) {
  const found = action === 'open ' + right;
  return { text: found ? 'a coin' : 'it is empty', reward: found ? 1 : 0, done: true };
}
export function validActions() {
  return boxes.map((box) => 'open ' + box);
}
// The horizon of this experiment is the plan's length plus one turn.
export function oracle() {
  return 'open ' + right;
}`;

const steps = Number(process.argv[2] ?? 20);
const base = preset('own-first');
const experiment = {
  ...base,
  ...{ name: 'Three boxes', steps, stages: [], evaluation: { every: steps, episodes: 30 } },
  worlds: [{ name: 'own-world', weight: 1, options: { code } }],
  algorithm: { ...base.algorithm, groups: 6, groupSize: 6 },
};
const run = await createRun(experiment, { device: 'wasm', allowCode: true });
await run.train();
const evaluations = (await run.records()).flatMap(({ step, evaluation }) => (evaluation ? [{ step, evaluation }] : []));
for (const { step, evaluation } of evaluations) {
  const { policy, chance } = evaluation.test;
  console.log(`step ${step}: success ${policy.rate.toFixed(2)}, chance ${chance.rate.toFixed(2)}`);
}
await run.close();
console.log('done');
