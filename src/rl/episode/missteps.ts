/**
 * Missteps in the oracle's play: turns off its own path, from which it continues. They are read and not trained on.
 * (Noise in the teacher's play: DART, Laskey et al. https://arxiv.org/abs/1703.09327.)
 */
import { below, uniform } from '../common/random.ts';

/** A turn by another player before the oracle continues. */
export interface PolicyTurn {
  action: string;
  thought?: string;
}

/** Frequency of missteps: shares from 0 to 1. */
export interface Missteps {
  /** Share of episodes that have missteps. */
  episodes: number;
  /** Share of turns, in such an episode, with an offered action drawn at random. */
  random: number;
  /** Share of turns, in such an episode, with an action that is not offered. */
  refused: number;
}

/** Missteps of one episode: the same keys give the same missteps. */
export interface MisstepKeys {
  missteps: Missteps | null;
  keys: readonly number[];
}

/** Candidates for a misstep. */
export interface Candidates {
  offered: readonly string[];
  refused(): readonly string[];
}

/** True if the episode has missteps. */
export const hasMissteps = ({ missteps, keys }: MisstepKeys): boolean =>
  missteps !== null && uniform(...keys, 0, 0) < missteps.episodes;

/** Misstep of a turn, counted from 1, in an episode with missteps; undefined: the oracle's own action. */
export function misstepOf({ missteps, keys }: MisstepKeys, turn: number, candidates: Candidates): string | undefined {
  if (!missteps) return undefined;
  const drawn = uniform(...keys, turn, 1);
  if (drawn < missteps.random) return pick(candidates.offered, [...keys, turn, 2]);
  if (drawn < missteps.random + missteps.refused) return pick(candidates.refused(), [...keys, turn, 2]);
  return undefined;
}

/** True if the policy begins the episode, which holds for `share` of them. */
export const policyBegins = (share: number, { keys }: Pick<MisstepKeys, 'keys'>): boolean =>
  uniform(...keys, 0, 3) < share;

/**
 * Turns from the start of an episode that the policy plays: up to a turn drawn at random, but not the last turn. The
 * oracle continues from there (DAgger, Ross et al. https://arxiv.org/abs/1011.0686, with the teacher in charge to the
 * end).
 */
export function policyStart(played: readonly PolicyTurn[], { keys }: Pick<MisstepKeys, 'keys'>): readonly PolicyTurn[] {
  return played.length < 2 ? [] : played.slice(0, 1 + below(played.length - 1, ...keys, 0, 4));
}

const pick = (actions: readonly string[], key: readonly number[]): string | undefined =>
  actions.length ? actions[below(actions.length, ...key)] : undefined;
