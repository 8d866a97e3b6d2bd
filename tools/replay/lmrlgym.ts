/**
 * Replays recordings of LMRL-Gym's server in one of our worlds under the original's rules, and compares each first text
 * and each step: observation, reward, end, and for Wordle the words still possible. The unit of comparison is a start
 * or a step; it counts as agreeing only if all parts agree.
 */
import * as v from 'valibot';
import { WorldError } from '../../src/envs/env.ts';
import type { ReplayResult } from './result.ts';
import type { Difference } from './transcripts.ts';

const StepSchema = v.object({
  action: v.string(),
  observation: v.string(),
  reward: v.number(),
  done: v.boolean(),
  filtered: v.optional(v.array(v.string())),
});
const EpisodeSchema = v.object({
  world: v.string(),
  kind: v.optional(v.string(), ''),
  first_observation: v.string(),
  steps: v.array(StepSchema),
});

interface Episode extends v.InferOutput<typeof EpisodeSchema> {
  line: number;
  /**
   * Number of the game, or the seed. Parsed from the line itself, because it may exceed the precision of a JSON number.
   */
  item: bigint;
}
export interface Answer {
  observation: string;
  reward: number;
  done: boolean;
  /** The words still possible, joined; present if they were recorded. */
  filtered?: string;
}
export interface Player {
  reset(item: bigint): Promise<Answer>;
  step(action: string, filtered: boolean): Promise<Answer>;
}

/** Episodes of a file's text, one per line, without the header line. */
export function readEpisodes(text: string): Episode[] {
  return text.split('\n').flatMap((line, k) => {
    if (!line.trim()) return [];
    const value = parseLine(line, k + 1);
    if ((value as { kind?: string }).kind === 'header') return [];
    const result = v.safeParse(EpisodeSchema, value);
    const item = /"(?:game|seed)":\s*(-?\d+)/.exec(line)?.[1];
    if (!result.success || item === undefined)
      throw new WorldError(
        `Line ${k + 1} is not a recorded episode: ${result.issues ? `${v.getDotPath(result.issues[0]) ?? 'the line'}: ${result.issues[0].message}` : 'it has no "game" or "seed"'}`,
      );
    return [{ ...result.output, line: k + 1, item: BigInt(item) }];
  });
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new WorldError(`Line ${number} is not JSON: ${(error as Error).message}`);
  }
}

function differenceOf(expected: Answer, found: Answer): Omit<Difference, 'where'> | null {
  const what = (['observation', 'reward', 'done', 'filtered'] as const).find((key) => expected[key] !== found[key]);
  return what ? { what, expected: expected[what], found: found[what] } : null;
}

/** Plays the episodes of the world `name`; throws on episodes of another world. */
export async function replayLmrlGym(name: string, player: Player, episodes: readonly Episode[]): Promise<ReplayResult> {
  const result: ReplayResult = { items: episodes.length, agree: 0, total: 0, first: null };
  const count = (where: string, difference: Omit<Difference, 'where'> | null) => {
    result.total++;
    if (!difference) result.agree++;
    else result.first ??= { where, ...difference };
  };
  for (const { world, item, kind, line, first_observation, steps } of episodes) {
    if (world !== name) throw new WorldError(`Line ${line} belongs to ${world}, not to ${name}.`);
    const where = `line ${line}, item ${item}, ${kind}`;
    count(
      `${where}, start`,
      differenceOf({ observation: first_observation, reward: 0, done: false }, await player.reset(item)),
    );
    for (const [k, { action, filtered, ...expected }] of steps.entries()) {
      const found = await player.step(action, filtered !== undefined);
      const wanted = filtered ? { ...expected, filtered: filtered.join(' ') } : expected;
      count(`${where}, step ${k + 1}, action ${JSON.stringify(action)}`, differenceOf(wanted, found));
    }
  }
  return result;
}
