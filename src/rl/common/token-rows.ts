/**
 * The trained tokens of a step as rows, sequence by sequence: what credit is computed over. Tokens that were not chosen (the
 * world's, the template's, the forced) are not here, so that "the next token" is the next one the policy chose.
 */

export interface TokenRows {
  /** (B + 1) where each sequence's rows begin, and the end of the last. */
  offsets: Int32Array;
  /** (B) which group a sequence belongs to. */
  group: Int32Array;
  /** (N) turn of each row within its sequence. */
  turn: Int32Array;
}

export const sequencesOf = ({ offsets }: TokenRows): number => offsets.length - 1;
export const rowsOf = ({ offsets }: TokenRows): number => offsets[offsets.length - 1];

/** (N) which sequence each row is of. */
export function sequenceOfRow(rows: TokenRows): Int32Array {
  const out = new Int32Array(rowsOf(rows));
  for (let b = 0; b < sequencesOf(rows); b++) out.fill(b, rows.offsets[b], rows.offsets[b + 1]);
  return out;
}

/** (N) one value a sequence on each of its rows. */
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

/** (N) one value a sequence on its last row, where a return that must sit on a token sits (DESIGN.md section 3); 0 elsewhere. */
export function onLastRow(values: ArrayLike<number>, rows: TokenRows): Float64Array {
  const out = new Float64Array(rowsOf(rows));
  for (let b = 0; b < sequencesOf(rows); b++)
    if (rows.offsets[b + 1] > rows.offsets[b]) out[rows.offsets[b + 1] - 1] = values[b];
  return out;
}
