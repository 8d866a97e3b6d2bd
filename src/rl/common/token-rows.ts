/**
 * Trained tokens of a step as rows, sequence by sequence: the input of credit. Tokens that the policy did not choose
 * (the world's, the template's, forced ones) are left out, so "the next token" is the next one that the policy chose.
 */

export interface TokenRows {
  /** (B + 1) start of each sequence's rows, and the end of the last. */
  offsets: Int32Array;
  /** (B) group of each sequence. */
  group: Int32Array;
  /** (N) turn of each row within its sequence. */
  turn: Int32Array;
}

export const sequencesOf = ({ offsets }: TokenRows): number => offsets.length - 1;
export const rowsOf = ({ offsets }: TokenRows): number => offsets[offsets.length - 1];

/** (N) value of its sequence on each row. */
export function spread(values: ArrayLike<number>, rows: TokenRows): Float64Array {
  const out = new Float64Array(rowsOf(rows));
  for (let b = 0; b < sequencesOf(rows); b++) out.fill(values[b], rows.offsets[b], rows.offsets[b + 1]);
  return out;
}

/** (B) sum of each sequence's rows. */
export function sequenceSums(values: ArrayLike<number>, rows: TokenRows): Float64Array {
  const out = new Float64Array(sequencesOf(rows));
  for (let b = 0; b < out.length; b++) for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) out[b] += values[i];
  return out;
}

/**
 * (N) value of a sequence on its last row, 0 elsewhere: for a return that must be assigned to one token (design,
 * section 3).
 */
export function onLastRow(values: ArrayLike<number>, rows: TokenRows): Float64Array {
  const out = new Float64Array(rowsOf(rows));
  for (let b = 0; b < sequencesOf(rows); b++)
    if (rows.offsets[b + 1] > rows.offsets[b]) out[rows.offsets[b + 1] - 1] = values[b];
  return out;
}
