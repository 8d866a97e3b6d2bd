/**
 * One packed batch for tests of the model: a prompt with two children, a separate sequence, lists of allowed tokens on
 * some rows.
 */
import type { PackedBatch } from '../../src/policy/policy.ts';

/** `last`: the last token, for tests that need one from the end of their vocabulary. */
export const sharedPrefix = (last = 8): PackedBatch => ({
  tokens: Int32Array.from([1, 5, 2, 7, 3, 3, 9, 4, 11, 6, 0, 12, last]),
  segments: [
    { start: 0, end: 4, parent: -1 },
    { start: 4, end: 7, parent: 0 },
    { start: 7, end: 10, parent: 0 },
    { start: 10, end: 13, parent: -1 },
  ],
  scored: Int32Array.from([2, 4, 5, 7, 9, 11, 12]),
  allowed: { offsets: Int32Array.from([0, 0, 3, 3, 5, 8, 8, 8]), tokens: Int32Array.from([0, 3, 8, 4, 12, 2, 6, 7]) },
});

/** (7) weights of the log-probability and of the entropy of each scored token. */
export const weight = Float32Array.from([0.7, -1.1, 0.4, 0.9, -0.3, 1.3, 0.2]);
export const entropyWeight = Float32Array.from([0.2, 0.5, -0.4, 0.1, 0.6, 0, -0.2]);
