/**
 * Check of the slopes that an edited objective returns against those of its loss: each entry of generated rows is
 * changed a little, and the change of the summed loss is compared. Values held by `stopGradient` are held here too. At
 * a kink, where the slopes of both sides differ, any value between them is right.
 */
import { objectiveRows, type PlainRows } from '../../policy/objective-rows.ts';
import { type AnyAlgorithmSettings, algorithmOf } from '../algorithms/registry.ts';
import type { CodeRunner } from '../common/code-runner.ts';
import { uniform } from '../common/random.ts';
import { type CodeEvaluation, evaluateCode, type Move, ObjectiveValueError } from './code.ts';

/** Inputs that are changed, and the name of their slope in a result. */
const slopes = { logprob: 'weight', entropy: 'entropyWeight', value: 'valueWeight' } as const;
type Moved = keyof typeof slopes;
type SlopeName = (typeof slopes)[Moved];

export interface SlopeDifference {
  /** Row, from 0. */
  row: number;
  column: SlopeName;
  /** Slope that the code returned. */
  claimed: number;
  /** Slope of the loss. */
  found: number;
}

export interface ObjectiveCheck {
  rows: number;
  /** Number of compared slopes. */
  compared: number;
  /** The largest first. */
  differences: SlopeDifference[];
  /** True if the code returned only slopes of 0, so nothing would be learnt. */
  flat: boolean;
}

/** Six sequences of three groups and three pairs. */
const lengths = [3, 5, 1, 4, 2, 6];
const sequence = Int32Array.from(lengths.flatMap((length, b) => Array<number>(length).fill(b)));
const N = sequence.length;

/** Change of an input; sums are in double precision, so 1e-6 leaves nine digits. */
const step = 1e-6;
/** Allowed difference, relative to the largest slope of its kind. */
const tolerance = 1e-5;
const kink = 1e-3;

const perSequence = (values: readonly number[]) => Float64Array.from(sequence, (b) => values[b]);
const each = (stream: number, scale: number, shift = 0) =>
  Float64Array.from({ length: N }, (_, i) => shift + scale * (uniform(stream, i) - 0.5));

/** Rows with numbers as in an update: ratios inside and outside a clip of 0.2, good and bad episodes. */
function madeRows(columns: readonly string[]): PlainRows {
  const logprob = each(1, 1.5, -1.2);
  const near = (stream: number, scale: number) => each(stream, scale).map((x, i) => x + logprob[i]);
  const made: { readonly [name: string]: Float64Array } = {
    oldLogprob: near(2, 0.8),
    refLogprob: near(3, 0.8),
    // One value per episode, as in group credit.
    advantage: perSequence([1.2, -0.7, 0.3, -1.5, 0.9, -0.2]),
    coefficient: perSequence(lengths.map((length) => 1 / length / lengths.length)),
    valueCoefficient: new Float64Array(N).fill(1 / N),
    oldValue: each(5, 1),
    return: each(6, 2),
    preferred: perSequence([1, 0, 1, 0, 1, 0]),
    label: perSequence([1, 0, 1, 0, -1, -1]),
  };
  const turn = Int32Array.from(sequence, (b, i) => (i === sequence.indexOf(b) ? 0 : 1));
  const half = sequence.map((b) => b >> 1);
  return {
    logprob,
    entropy: each(7, 1, 1),
    value: each(8, 1.5),
    columns: columns.map((name) => made[name] ?? each(9, 1)),
    ids: { sequence, turn, group: half, pair: half },
  };
}

/** Inputs that may change an objective. */
function movable(rows: PlainRows): Moved[] {
  return (Object.keys(slopes) as Moved[]).filter((name) => rows[name]);
}

/** One step down and one step up for each number. */
const movesOf = (names: readonly Moved[]): Move[] =>
  names.flatMap((name) =>
    Array.from({ length: N }, (_, row) => [[name, row, -step] as const, [name, row, step] as const]).flat(),
  );

/**
 * Compares the slopes of one kind that the code returned with the finite differences of its loss. `totals`: summed loss
 * after each move.
 */
function compare(name: Moved, here: CodeEvaluation, totals: Float64Array): SlopeDifference[] {
  const column = slopes[name];
  const claimed = here[column] ?? new Float64Array(N);
  const middle = here.loss.reduce((sum, value) => sum + value, 0);
  const sides = Array.from(
    { length: N },
    (_, row) => [(middle - totals[2 * row]) / step, (totals[2 * row + 1] - middle) / step] as const,
  );
  const size = Math.max(...claimed.map(Math.abs), ...sides.flat().map(Math.abs));
  return sides.flatMap((pair, row) => {
    const found = nearest(claimed[row], pair, kink * size);
    return Math.abs(claimed[row] - found) <= tolerance * size + 1e-9
      ? []
      : [{ row, column, claimed: claimed[row], found }];
  });
}

/** Slope of the loss; at a kink, the value between both sides that is nearest to the returned one. */
function nearest(claimed: number, [before, after]: readonly [number, number], wide: number): number {
  const middle = (before + after) / 2;
  if (Math.abs(after - before) <= wide) return middle;
  return Math.min(Math.max(claimed, Math.min(before, after)), Math.max(before, after));
}

/** Rejects with the error of the code: a SandboxError, an ObjectiveShapeError or an ObjectiveValueError. */
export async function checkObjective(
  runner: CodeRunner,
  own: { code: string; settings: AnyAlgorithmSettings },
): Promise<ObjectiveCheck> {
  const algorithm = algorithmOf(own.settings);
  const { columns } = algorithm.objective(own.settings).spec;
  const made = madeRows(columns);
  const plain = algorithm.needs(own.settings).values ? made : { ...made, value: null };
  const names = movable(plain);
  const moves = movesOf(names);
  const rows = objectiveRows({ name: 'code', columns, scalars: [] }, plain, []);
  const here = await evaluateCode(runner, own, rows, moves);
  const bad = here.totals.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw new ObjectiveValueError('loss', moves[bad][1], here.totals[bad]);
  const differences = names.flatMap((name, k) => compare(name, here, here.totals.subarray(2 * N * k, 2 * N * (k + 1))));
  const size = ({ claimed, found }: SlopeDifference) => Math.abs(claimed - found);
  const given = [here.weight, here.entropyWeight, here.valueWeight ?? []];
  return {
    rows: N,
    compared: N * names.length,
    differences: differences.sort((a, b) => size(b) - size(a)),
    flat: given.every((slope) => Array.from(slope).every((x) => x === 0)),
  };
}
