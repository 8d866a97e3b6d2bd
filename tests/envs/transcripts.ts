/**
 * Transcripts of worlds that must have the same bytes on every engine: episodes of both splits, by chance and by the
 * oracle, with every field of every answer.
 */
import { type Feedback, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { rowsHere } from '../worlds.ts';

/** A world with options under which it is compared. */
export type TranscriptCase = readonly [world: string, options: WorldOptions];

const kinds = ['pick', 'light', 'clean', 'heat', 'cool', 'two', 'second-room', 'closed', 'both'];

export const transcriptCases = rowsHere<TranscriptCase>([
  ['household', { tasks: kinds, houses: 4, testHouses: 4 }],
  ['household', { tasks: kinds, houses: 4, testHouses: 4, dialect: 'put', sharedPlaces: 30, clutter: 40 }],
  [
    'household',
    { houses: 6, testHouses: 6, observation: 'brief', commands: 'acting', oracle: 'explores', partial: true },
  ],
  ['shop', { products: 300, instances: 24, testInstances: 24 }],
  [
    'shop',
    { products: 200, instances: 24, testInstances: 24, observation: 'rich', upstream: true, matcher: 'levenshtein' },
  ],
  ['shop', { products: 200, instances: 24, testInstances: 24, observation: 'brief', perPage: 4 }],
]);

/** Turns by chance before the oracle plays on. */
const turnsByChance = 6;
const mostTurns = 60;

async function play(world: World, start: Feedback, number: number): Promise<Feedback[]> {
  const answers = [start];
  let listed = validActionsAfter(null, start) ?? [];
  const act = async (action: string) => {
    const [answer] = await world.step([0], [action]);
    answers.push(answer);
    listed = validActionsAfter(listed, answer) ?? [];
    return answer.done;
  };
  for (let turn = 0; turn < turnsByChance; turn++) if (await act(randomAction(listed, 5, number, turn))) return answers;
  while (answers.length < mostTurns) {
    const [plan] = await world.oracle([0]);
    if (!plan?.length || (await act(plan[0]))) break;
  }
  return answers;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Number of answers of a case, and the hash of all of them. */
export async function transcriptOf([name, options]: TranscriptCase): Promise<{ answers: number; hash: string }> {
  const world = await openWorld(name);
  const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
  const episodes = [];
  for (const [number, task] of tasks.entries())
    episodes.push(await play(world, (await world.reset([0], [task]))[0], number));
  await world.close();
  const answers = episodes.reduce((sum, each) => sum + each.length, 0);
  return { answers, hash: await sha256(JSON.stringify(episodes)) };
}
