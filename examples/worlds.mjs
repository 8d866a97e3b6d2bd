// Worlds without a policy: the oracle solves one task, and random players share a batch.
import { createWorld, createWorlds } from 'tabgym/worlds';

const options = { depths: [1], distractors: 3 };

const world = await createWorld('textcraft', { options });
let feedback = await world.reset({ split: 'test', task: 0 });
console.log(feedback.observation);
for (const action of await world.oracle()) {
  feedback = await world.step(action);
  console.log(`> ${action}\n${feedback.observation}`);
}
console.log(`oracle: reward ${feedback.reward}`);
await world.close();

const size = 64;
const batch = await createWorlds('textcraft', size, { options });
const first = await batch.reset(Array.from({ length: size }, (_, task) => ({ split: 'train', task })));
const slots = first.map(({ done }, slot) => (done ? -1 : slot)).filter((slot) => slot >= 0);
const valid = first.map(({ validActions }) => validActions ?? []);
let successes = 0;
for (let turn = 0, playing = slots; turn < 3 && playing.length; turn++) {
  const actions = playing.map((slot) => valid[slot][Math.floor(Math.random() * valid[slot].length)] ?? 'inventory');
  const answers = await batch.step(actions, playing);
  for (const [k, { validActions, reward }] of answers.entries()) {
    if (validActions) valid[playing[k]] = validActions;
    if (reward === 1) successes++;
  }
  playing = playing.filter((_, k) => !answers[k].done);
}
console.log(`chance: ${successes} of ${size} tasks within 3 turns`);
await batch.close();
console.log('done');
