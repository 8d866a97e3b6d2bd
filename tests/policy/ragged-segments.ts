/** Sequences of a packed batch, of lengths that no tile divides. */
import type { PackedBatch } from '../../src/policy/policy.ts';

/** Segments by length; `parent` is an index into them. */
function segmentsOf(lengths: [number, number][]): PackedBatch['segments'] {
  let end = 0;
  return lengths.map(([length, parent]) => {
    end += length;
    return { start: end - length, end, parent };
  });
}

/**
 * A long prompt with children of odd lengths, one of a single token; a parent without tokens; sequences on their own.
 */
export const segments = segmentsOf([
  [141, -1],
  [37, 0],
  [1, 0],
  [70, 0],
  [0, -1],
  [5, 4],
  [33, 4],
  [1, -1],
  [9, -1],
]);
