/**
 * Packs sequences with a target for each position into batches of the engine, which scores tokens of the batch itself. A
 * target that is not the next token of its sequence is therefore scored at the end of a copy of the tokens before it;
 * equal copies are scored once.
 */
import type { Capacity, PackedBatch } from '../../policy/policy.ts';

/** (N) tokens, and the token to predict after each of them. */
export interface TargetSequence {
  tokens: Int32Array;
  targets: Int32Array;
}

/** Place of a target. */
interface Place {
  sequence: number;
  position: number;
}

/** A batch, and for each of its rows the targets whose log-probability it is. */
export interface TargetBatch {
  batch: PackedBatch;
  rows: Place[][];
}

/** Tokens of one segment, with the indices of its scored tokens. */
interface Piece {
  tokens: Int32Array;
  scored: { at: number; places: Place[] }[];
}

const withTarget = (tokens: Int32Array, target: number) => {
  const all = new Int32Array(tokens.length + 1);
  all.set(tokens);
  all[tokens.length] = target;
  return all;
};

/** Pieces of the targets that `wanted` accepts. */
function piecesOf(sequences: readonly TargetSequence[], wanted: (sequence: number, position: number) => boolean) {
  const pieces: Piece[] = [];
  const copies = new Map<string, Piece>();
  for (const [sequence, { tokens, targets }] of sequences.entries()) {
    const main: Piece = { tokens: withTarget(tokens, targets[targets.length - 1]), scored: [] };
    for (const [position, target] of targets.entries()) {
      if (!wanted(sequence, position)) continue;
      const place = { sequence, position };
      if (main.tokens[position + 1] === target) {
        main.scored.push({ at: position + 1, places: [place] });
        continue;
      }
      const copy = withTarget(tokens.subarray(0, position + 1), target);
      const known = copies.get(copy.join());
      if (known) known.scored[0].places.push(place);
      else copies.set(copy.join(), { tokens: copy, scored: [{ at: position + 1, places: [place] }] });
    }
    if (main.scored.length) pieces.push(main);
  }
  return [...pieces, ...copies.values()];
}

/** Parts of a piece with at most so many scored tokens, each without the tokens after its last. */
function partsOf({ tokens, scored }: Piece, most: number): Piece[] {
  const parts: Piece[] = [];
  for (let first = 0; first < scored.length; first += most) {
    const part = scored.slice(first, first + most);
    parts.push({ tokens: tokens.subarray(0, part.at(-1)!.at + 1), scored: part });
  }
  return parts;
}

function packed(pieces: readonly Piece[]): TargetBatch {
  const tokens = new Int32Array(pieces.reduce((sum, piece) => sum + piece.tokens.length, 0));
  const segments: PackedBatch['segments'] = [];
  const scored: number[] = [];
  const rows: Place[][] = [];
  let start = 0;
  for (const piece of pieces) {
    tokens.set(piece.tokens, start);
    for (const { at, places } of piece.scored) {
      scored.push(start + at);
      rows.push(places);
    }
    segments.push({ start, end: start + piece.tokens.length, parent: -1 });
    start += piece.tokens.length;
  }
  return { batch: { tokens, segments, scored: Int32Array.from(scored), allowed: null }, rows };
}

/** Batches within the plan, in the order of the sequences. Without a target that is wanted: one of the first target. */
export function batchesOf(
  sequences: readonly TargetSequence[],
  { batchTokens, batchScored }: Pick<Capacity, 'batchTokens' | 'batchScored'>,
  wanted: (sequence: number, position: number) => boolean = () => true,
): TargetBatch[] {
  const found = piecesOf(sequences, wanted);
  const pieces = found.length ? found : piecesOf(sequences.slice(0, 1), (_, position) => position === 0);
  const batches: TargetBatch[] = [];
  let open: Piece[] = [];
  let [tokens, rows] = [0, 0];
  for (const piece of pieces.flatMap((each) => partsOf(each, batchScored))) {
    if (open.length && (tokens + piece.tokens.length > batchTokens || rows + piece.scored.length > batchScored)) {
      batches.push(packed(open));
      open = [];
      [tokens, rows] = [0, 0];
    }
    open.push(piece);
    tokens += piece.tokens.length;
    rows += piece.scored.length;
  }
  return [...batches, packed(open)];
}
