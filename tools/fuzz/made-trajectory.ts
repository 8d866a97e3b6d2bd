/** Generates a valid trajectory from a number, with any lengths, texts in any script, and every ending. */

import { hash, uniform } from '../../src/rl/common/random.ts';
import { type Ending, TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';

const endings: Ending[] = ['success', 'done', 'horizon', 'context', 'invalid-action', 'world-failure'];

export function aTrajectory(n: number): Trajectory {
  const promptLength = 2 + (hash(n, 1) % 5);
  const turnCount = hash(n, 2) % 4;
  const length = promptLength + turnCount * 5;
  const at = (i: number) => Array.from({ length }, (_, k) => hash(n, i, k));
  const isPolicy = (k: number) => k >= promptLength && (k - promptLength) % 5 < 2;
  const positions = at(0).flatMap((_, k) => (isPolicy(k) && n % 3 ? [k] : []));
  return {
    task: {
      world: ['textcraft', 'babyai'][n % 2],
      id: n * 7,
      options: { depths: [1, n], name: 'é' },
      strata: { depth: n },
    },
    group: n % 4,
    member: n % 8,
    prompt: `Goal ${n}: "craft"\n日本`,
    promptLength,
    tokens: Int32Array.from(at(3), (value) => value % 1000),
    source: Uint8Array.from(at(0), (_, k) => (isPolicy(k) ? TokenSource.policy : TokenSource.world)),
    turnOf: Int16Array.from(at(0), (_, k) => (k < promptLength ? -1 : Math.floor((k - promptLength) / 5))),
    logprob: Float32Array.from(at(0), (_, k) => (isPolicy(k) ? Math.log(uniform(n, 4, k)) : 0)),
    choices:
      n % 3
        ? {
            position: Int32Array.from(positions),
            offsets: Int32Array.from({ length: positions.length + 1 }, (_, k) => 2 * k),
            tokens: Int32Array.from(positions.flatMap((k) => [k, k + 1])),
          }
        : null,
    turns: Array.from({ length: turnCount }, (_, k) => ({
      action: `get ${k} log`,
      ...(n % 5 ? {} : { reply: `Thought:\n${k}\n\nAction:\nget` }),
      observation: k === turnCount - 1 ? '' : `Got ${k}`,
      reward: k === 1 && n % 7 === 0 ? Number.NEGATIVE_INFINITY : k / 3,
      valid: k % 2 === 0,
      actionStart: promptLength + 5 * k,
      actionEnd: promptLength + 5 * k + 2,
      observationStart: promptLength + 5 * k + 2,
      observationEnd: promptLength + 5 * k + 5,
    })),
    score: n % 11 === 0 ? Number.NaN : n / 7,
    success: n % 2 === 0,
    ending: endings[n % endings.length],
    horizon: 4,
    oracleTurns: n % 2 ? 3 : null,
    advantage: uniform(n, 9) - 0.5,
    advantages: Float32Array.from(positions, (k) => uniform(n, 10, k) - 0.5),
  };
}
