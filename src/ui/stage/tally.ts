/** Results of a person's play by world. They outlive the tab's element and end with a reload. */
import type { PlayFrame } from '../../session/protocol.ts';

interface Tally {
  tries: number;
  successes: number;
  /** Sum of the final rewards of all tries. */
  score: number;
}

const tallies = new Map<string, Tally>();

/** Tally of a world with its options. */
export const tallyOf = (world: string): Readonly<Tally> => tallies.get(world) ?? { tries: 0, successes: 0, score: 0 };

export function addTry(world: string, { success, reward }: Pick<PlayFrame, 'success' | 'reward'>) {
  const { tries, successes, score } = tallyOf(world);
  tallies.set(world, { tries: tries + 1, successes: successes + (success ? 1 : 0), score: score + reward });
}
