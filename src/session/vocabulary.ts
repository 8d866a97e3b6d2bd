/**
 * The texts a tiny policy's vocabulary is made from: what its worlds say, over all their tasks, whatever options an
 * experiment narrows them to, so that a fork with other options has the same tokens.
 */
import type { World } from '../envs/env.ts';

const SLOTS = 64;
/** Tasks whose answers to actions are listened to as well. */
const PLAYED = 24;
/** Good for an answer of each kind: a list, a refusal, a failed fetch. */
const PROBES = ['inventory', 'look around', 'get 1 nothing', 'craft 1 nothing using 1 nothing'];

/** First observations, valid actions, and answers of a world, each once. */
export async function textsOf(world: World): Promise<Set<string>> {
  const texts = new Set<string>();
  const tasks = [...(await world.tasks({}, 'train')), ...(await world.tasks({}, 'test'))];
  for (let first = 0; first < tasks.length; first += SLOTS) {
    const some = tasks.slice(first, first + SLOTS);
    for (const feedback of await world.reset([...some.keys()], some)) {
      texts.add(feedback.observation);
      for (const action of feedback.validActions ?? []) texts.add(action);
    }
  }
  for (const task of tasks.slice(0, PLAYED)) await listen(world, task, texts);
  return texts;
}

async function listen(world: World, task: Parameters<World['reset']>[1][number], texts: Set<string>): Promise<void> {
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  for (const action of [...PROBES, ...(plan ?? []), 'inventory']) {
    const [feedback] = await world.step([0], [action]);
    texts.add(feedback.observation);
    if (feedback.done) return;
  }
}
