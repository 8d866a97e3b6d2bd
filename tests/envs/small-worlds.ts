/** Shared by the tests of Maze and Wordle: hashes, recorded episodes, and playing to the end. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Feedback, World } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { goldenFolder, hasGolden } from './helpers.ts';

export const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

export interface Said {
  observation: string;
  reward: number;
  done: boolean;
}

/** Hash of a first text and all later steps, in the form of fixtures/lmrlgym.golden.json. */
export const transcriptHash = (start: string, steps: readonly Said[]) =>
  hash([start, ...steps.map(({ observation, reward, done }) => `${observation}|${reward}|${done}`)].join('\n'));

/** Text of a golden file, or null (with a notice) if it does not exist. */
export function goldenText(name: string): string | null {
  if (hasGolden(name)) return gunzipSync(readFileSync(`${goldenFolder}/${name}`)).toString('utf8');
  console.log(`skipped: there is no ${goldenFolder}/${name} (TABGYM_GOLDEN names the folder)`);
  return null;
}

export async function play(world: World, slot: number, actions: readonly string[]): Promise<Feedback[]> {
  const answers: Feedback[] = [];
  for (const action of actions) answers.push(...(await world.step([slot], [action])));
  return answers;
}

/** Plays uniformly at random until the end, or for this many turns. Returns the last feedback. */
export async function wander(
  world: World,
  slot: number,
  start: Feedback,
  turns: number,
  seed: number,
): Promise<Feedback> {
  let last = start;
  for (let turn = 0; turn < turns && !last.done; turn++)
    [last] = await world.step([slot], [randomAction(start.validActions!, seed, slot, turn)]);
  return last;
}
