/**
 * Generalised advantage estimation over trained tokens (Schulman et al. 2016, https://arxiv.org/abs/1506.02438,
 * equation 16), and its two-level form (RAGEN, https://arxiv.org/abs/2504.20073, core_algos.py): turns first, then the
 * tokens of each turn.
 *
 * The value of a row is read before its token. Text between two trained tokens is not a step: the next value is that of
 * the next trained token.
 */
import { sequencesOf, type TokenRows } from '../common/token-rows.ts';

export interface GaeSettings {
  gamma: number;
  lambda: number;
}

export interface Estimates {
  advantages: Float64Array;
  /** Advantages plus values: the critic's targets. */
  returns: Float64Array;
}

const zeros = (count: number) => new Float64Array(count);

const withReturns = (advantages: Float64Array, values: ArrayLike<number>): Estimates => ({
  advantages,
  returns: advantages.map((advantage, i) => advantage + values[i]),
});

/**
 * `next`: the value from which a row bootstraps, if it is not the next row's. AgentGym-RL's fork takes the next token's
 * value, even for a token of the world.
 */
export function gae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  rows: TokenRows,
  { gamma, lambda }: GaeSettings,
  next: ArrayLike<number> | null = null,
): Estimates {
  const advantages = zeros(rewards.length);
  for (let b = 0; b < sequencesOf(rows); b++) {
    const end = rows.offsets[b + 1];
    let running = 0;
    for (let i = end - 1; i >= rows.offsets[b]; i--) {
      const after = next ? next[i] : i + 1 < end ? values[i + 1] : 0;
      running = rewards[i] + gamma * after - values[i] + gamma * lambda * running;
      advantages[i] = running;
    }
  }
  return withReturns(advantages, values);
}

/** (N) 1 in the last row of each turn. */
export function turnEnds(rows: TokenRows): Uint8Array {
  const ends = new Uint8Array(rows.turn.length);
  for (let b = 0; b < sequencesOf(rows); b++)
    for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++)
      if (i + 1 === rows.offsets[b + 1] || rows.turn[i + 1] !== rows.turn[i]) ends[i] = 1;
  return ends;
}

/**
 * (N) 1 at each reward. The original finds the ends of turns this way, so a turn with reward 0 merges into the next.
 */
export const rewardedEnds = (rewards: ArrayLike<number>, rows: TokenRows): Uint8Array => {
  const ends = Uint8Array.from(rewards, (reward) => (reward !== 0 ? 1 : 0));
  // The original fails without a reward; here the episode's last row ends its last turn.
  for (let b = 0; b < sequencesOf(rows); b++)
    if (rows.offsets[b + 1] > rows.offsets[b]) ends[rows.offsets[b + 1] - 1] = 1;
  return ends;
};

/** Turn level over the ends of turns: advantage plus value is the turn's return. Token level inside each turn. */
export function biLevelGae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  rows: TokenRows,
  { gamma, lambda, turnGamma, ends }: GaeSettings & { turnGamma: number; ends: Uint8Array },
): Estimates {
  const earned = Float64Array.from(rewards);
  for (let b = 0; b < sequencesOf(rows); b++) {
    let [running, after] = [0, 0];
    for (let i = rows.offsets[b + 1] - 1; i >= rows.offsets[b]; i--) {
      if (!ends[i]) continue;
      running = rewards[i] + turnGamma * after - values[i] + turnGamma * lambda * running;
      after = values[i];
      earned[i] = running + values[i];
    }
  }
  const advantages = zeros(rewards.length);
  for (let b = 0; b < sequencesOf(rows); b++) {
    let [running, after] = [0, 0];
    for (let i = rows.offsets[b + 1] - 1; i >= rows.offsets[b]; i--) {
      if (ends[i]) [running, after] = [0, 0];
      running = earned[i] + gamma * after - values[i] + gamma * lambda * running;
      after = values[i];
      advantages[i] = running;
    }
  }
  return withReturns(advantages, values);
}
