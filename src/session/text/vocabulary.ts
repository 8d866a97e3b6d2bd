/**
 * Texts for a tiny policy's vocabulary: all texts of its worlds over all their tasks. They are independent of the
 * experiment's options, so that a fork with other options has the same tokens, except in a world whose texts are made by
 * an option (a typed world). Each world's module defines how its texts are collected.
 */
import { type Task, validActionsAfter, type World, WorldError, type WorldOptions } from '../../envs/env.ts';
import type { PlayedTexts, WorldModule } from '../../envs/module.ts';
import { randomAction } from '../../envs/random-player.ts';
import { worldModule } from '../../worlds/registry.ts';

const SLOTS = 64;

const evenly = <T>(all: readonly T[], count: number): readonly T[] =>
  count >= all.length ? all : Array.from({ length: count }, (_, k) => all[Math.floor((k * all.length) / count)]);

/**
 * Distinct first observations, valid actions and observations of a world. `given`: options of the experiment, for a
 * world whose texts depend on them.
 */
export async function textsOf(
  world: World,
  module: WorldModule = worldModule(world.describe().name),
  given: readonly WorldOptions[] = [{}],
): Promise<Set<string>> {
  if (!module.vocabulary)
    throw new WorldError(`${module.title} has no vocabulary for a tiny policy: choose a language model to play it.`);
  const { texts, play } = module.vocabulary;
  const found = new Set(typeof texts === 'function' ? await texts() : texts);
  for (const options of play?.options === 'given' ? given : (play?.options ?? []))
    await collect(world, play!, options, found);
  return found;
}

async function collect(world: World, play: PlayedTexts, options: WorldOptions, texts: Set<string>): Promise<void> {
  const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
  const begun = evenly(tasks, play.openings);
  for (let first = 0; first < begun.length; first += SLOTS) {
    const some = begun.slice(first, first + SLOTS);
    for (const feedback of await world.reset([...some.keys()], some)) note(feedback, texts);
  }
  const played = play.spread ? evenly(tasks, play.episodes) : tasks.slice(0, play.episodes);
  for (const task of played) await playOne(world, task, play, texts);
}

function note(feedback: { observation: string; validActions?: readonly string[] | null }, texts: Set<string>): void {
  texts.add(feedback.observation);
  for (const action of feedback.validActions ?? []) texts.add(action);
}

async function playOne(world: World, task: Task, play: PlayedTexts, texts: Set<string>): Promise<void> {
  if (play.randomTurns) await playAtRandom(world, task, play.randomTurns, texts);
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  for (const action of [...play.probes, ...(plan ?? []), ...play.closing]) {
    const [feedback] = await world.step([0], [action]);
    note(feedback, texts);
    if (feedback.done) return;
  }
}

async function playAtRandom(world: World, task: Task, turns: number, texts: Set<string>): Promise<void> {
  let [feedback] = await world.reset([0], [task]);
  let actions = validActionsAfter(null, feedback);
  for (let turn = 0; turn < turns && actions?.length && !feedback.done; turn++) {
    [feedback] = await world.step([0], [randomAction(actions, 0, task.id, turn)]);
    note(feedback, texts);
    actions = validActionsAfter(actions, feedback);
  }
}
