/**
 * Missteps in the oracle's play: turns that lead away from its own path, which are read and not learnt, and from which it finds back.
 * (Noise in the teacher's play: DART, Laskey et al. https://arxiv.org/abs/1703.09327.)
 */
import { below, uniform } from '../common/random.ts';

/** A turn that somebody else took before the oracle goes on. */
export interface Begun {
  action: string;
  thought?: string;
}

/** How many. Shares from 0 to 1. */
export interface Missteps {
  /** Of the episodes that have missteps at all. */
  episodes: number;
  /** Of the turns of such an episode in which an offered action is drawn at random. */
  random: number;
  /** Of its turns in which something is said that is not offered here. */
  refused: number;
}

/** The missteps of one episode: the same keys, the same missteps. */
export interface Stumbling {
  missteps: Missteps | null;
  keys: readonly number[];
}

/** What a misstep may be. */
export interface Candidates {
  offered: readonly string[];
  refused(): readonly string[];
}

/** Whether the episode has missteps. */
export const stumbles = ({ missteps, keys }: Stumbling): boolean =>
  missteps !== null && uniform(...keys, 0, 0) < missteps.episodes;

/** The misstep of a turn, counted from 1, of an episode that has them; undefined: the oracle's own action. */
export function misstepOf({ missteps, keys }: Stumbling, turn: number, candidates: Candidates): string | undefined {
  if (!missteps) return undefined;
  const drawn = uniform(...keys, turn, 1);
  if (drawn < missteps.random) return pick(candidates.offered, [...keys, turn, 2]);
  if (drawn < missteps.random + missteps.refused) return pick(candidates.refused(), [...keys, turn, 2]);
  return undefined;
}

/** Whether the policy begins the episode, in this share of them. */
export const begins = (share: number, { keys }: Pick<Stumbling, 'keys'>): boolean => uniform(...keys, 0, 3) < share;

/**
 * What the policy began an episode with, up to a turn drawn at random, its last one never: from where that leads, the oracle goes on
 * (DAgger, Ross et al. https://arxiv.org/abs/1011.0686, with the teacher in charge from there to the end).
 */
export function begunOf(played: readonly Begun[], { keys }: Pick<Stumbling, 'keys'>): readonly Begun[] {
  return played.length < 2 ? [] : played.slice(0, 1 + below(played.length - 1, ...keys, 0, 4));
}

const pick = (actions: readonly string[], key: readonly number[]): string | undefined =>
  actions.length ? actions[below(actions.length, ...key)] : undefined;
