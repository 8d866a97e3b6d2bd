/**
 * Whether the slopes that a person's objective gives are those of its loss: each entry of made rows is moved a little, and the summed loss
 * with it. What the code holds constant (`stopGradient`) is held here too. At a kink, where the slopes of both sides differ, anything
 * between them is right.
 */
import { objectiveRows, type PlainRows } from '../../policy/objective-rows.ts';
import { type AnyAlgorithmSettings, algorithmOf } from '../algorithms/registry.ts';
import { uniform } from '../common/random.ts';
import { type CodeEvaluation, type CodeRunner, evaluateCode, type Move, ObjectiveValueError } from './code.ts';

/** What is moved, and the name of its slope in a result. */
const slopes = { logprob: 'weight', entropy: 'entropyWeight', value: 'valueWeight' } as const;
type Moved = keyof typeof slopes;
export type SlopeName = (typeof slopes)[Moved];

export interface SlopeDifference {
  /** From 0. */
  row: number;
  column: SlopeName;
  /** What the code says. */
  said: number;
  /** What the loss does. */
  found: number;
}

export interface ObjectiveCheck {
  rows: number;
  /** Slopes that were compared. */
  compared: number;
  /** The largest first. */
  differences: SlopeDifference[];
  /** The code gave no slope but 0: nothing would be learnt. */
  flat: boolean;
}

/** Six sequences of three groups and three pairs. */
const lengths = [3, 5, 1, 4, 2, 6];
const sequence = Int32Array.from(lengths.flatMap((length, b) => Array<number>(length).fill(b)));
const N = sequence.length;

/** Of the input; the sums are in double precision, so that 1e-6 leaves nine digits. */
const step = 1e-6;
/** Of the largest slope of its kind. */
const tolerance = 1e-5;
const kink = 1e-3;

const perSequence = (values: readonly number[]) => Float64Array.from(sequence, (b) => values[b]);
const each = (stream: number, scale: number, shift = 0) =>
  Float64Array.from({ length: N }, (_, i) => shift + scale * (uniform(stream, i) - 0.5));

/** Numbers as an update has them: ratios inside and outside a clip of 0.2, good and bad episodes. */
export function madeRows(columns: readonly string[]): PlainRows {
  const logprob = each(1, 1.5, -1.2);
  const near = (stream: number, scale: number) => each(stream, scale).map((x, i) => x + logprob[i]);
  const made: { readonly [name: string]: Float64Array } = {
    oldLogprob: near(2, 0.8),
    refLogprob: near(3, 0.8),
    // One an episode, as credit by groups gives it.
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

/** What of the rows an objective may be moved by. */
function movable(rows: PlainRows): Moved[] {
  return (Object.keys(slopes) as Moved[]).filter((name) => rows[name]);
}

/** Each number a step down and a step up. */
const movesOf = (names: readonly Moved[]): Move[] =>
  names.flatMap((name) =>
    Array.from({ length: N }, (_, row) => [[name, row, -step] as const, [name, row, step] as const]).flat(),
  );

/** Slopes of one kind, beside those that the loss has. `totals`: of its moves. */
function compare(name: Moved, here: CodeEvaluation, totals: Float64Array): SlopeDifference[] {
  const column = slopes[name];
  const said = here[column] ?? new Float64Array(N);
  const middle = here.loss.reduce((sum, value) => sum + value, 0);
  const sides = Array.from(
    { length: N },
    (_, row) => [(middle - totals[2 * row]) / step, (totals[2 * row + 1] - middle) / step] as const,
  );
  const size = Math.max(...said.map(Math.abs), ...sides.flat().map(Math.abs));
  return sides.flatMap((pair, row) => {
    const found = nearest(said[row], pair, kink * size);
    return Math.abs(said[row] - found) <= tolerance * size + 1e-9 ? [] : [{ row, column, said: said[row], found }];
  });
}

/** The slope that the loss has: at a kink the one between its sides that is nearest to what was said. */
function nearest(said: number, [before, after]: readonly [number, number], wide: number): number {
  const middle = (before + after) / 2;
  if (Math.abs(after - before) <= wide) return middle;
  return Math.min(Math.max(said, Math.min(before, after)), Math.max(before, after));
}

/** Rejects with what the code failed by: a SandboxError, an ObjectiveShapeError or an ObjectiveValueError. */
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
  const size = ({ said, found }: SlopeDifference) => Math.abs(said - found);
  const given = [here.weight, here.entropyWeight, here.valueWeight ?? []];
  return {
    rows: N,
    compared: N * names.length,
    differences: differences.sort((a, b) => size(b) - size(a)),
    flat: given.every((slope) => Array.from(slope).every((x) => x === 0)),
  };
}
