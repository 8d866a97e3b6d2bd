/**
 * Aggregation of token losses into one number.
 *
 * Every mode is linear in the token losses, so a mode is one coefficient per token. The coefficients are computed here,
 * once, over the whole minibatch. The objective multiplies by them, and micro-batches then add up.
 */

export const aggregationModes = [
  'token-mean',
  'token-sum',
  'seq-mean-token-sum',
  'seq-mean-token-sum-norm',
  'seq-mean-token-mean',
] as const;
export type AggregationMode = (typeof aggregationModes)[number];

export interface AggregationOptions {
  mode: AggregationMode;
  /** Divisor of token-mean; null: the number of counted tokens. */
  batchTokens?: number | null;
  /** Divisor of the seq-mean modes; null: the number of sequences that have a counted token. */
  batchSequences?: number | null;
  /** Further divisor of seq-mean-token-sum-norm; null: `longest`. */
  scaleFactor?: number | null;
  /**
   * Length used by seq-mean-token-sum-norm without a scale factor (verl: the padded width); null: the longest sequence.
   */
  longest?: number | null;
}

/** Added by verl to each sequence's token count in seq-mean-token-mean. */
const countEpsilon = 1e-8;

/** Coefficient of each token of a sequence, from the number of counted tokens of every sequence. */
export function sequenceCoefficients(counts: ArrayLike<number>, options: AggregationOptions): Float64Array {
  const lengths = Array.from(counts);
  const tokens = options.batchTokens ?? lengths.reduce((sum, count) => sum + count, 0);
  const sequences = options.batchSequences ?? lengths.filter((count) => count > 0).length;
  const scale = options.scaleFactor ?? options.longest ?? Math.max(1, ...lengths);
  return Float64Array.from(lengths, (count) => {
    if (count === 0) return 0;
    switch (options.mode) {
      case 'token-mean':
        return 1 / tokens;
      case 'token-sum':
        return 1;
      case 'seq-mean-token-sum':
        return 1 / sequences;
      case 'seq-mean-token-sum-norm':
        return 1 / sequences / scale;
      case 'seq-mean-token-mean':
        return 1 / (count + countEpsilon) / sequences;
    }
  });
}

/** Number of counted tokens of each row of a (rows, width) mask. */
function maskCounts(mask: ArrayLike<number>, width: number): Int32Array {
  const counts = new Int32Array(mask.length / width);
  for (let i = 0; i < mask.length; i++) if (mask[i]) counts[Math.floor(i / width)] += 1;
  return counts;
}

/** Per-token coefficients of a (rows, width) mask; 0 outside it. */
export function maskCoefficients(mask: ArrayLike<number>, width: number, options: AggregationOptions): Float64Array {
  const rows = sequenceCoefficients(maskCounts(mask, width), { longest: width, ...options });
  return Float64Array.from(mask, (counted, i) => (counted ? rows[Math.floor(i / width)] : 0));
}
