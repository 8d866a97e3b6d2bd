/** Filter and order of a list, over the columns of a collection's index. Pure functions. */
import type { RecordIndex } from './record-index.ts';

export interface Filter {
  success: 'any' | 'yes' | 'no' | 'unknown';
  /** A world's name; null: any; '': records without a world. */
  world: string | null;
  /** Properties of the task, as in `RecordSummary`; null: any. */
  family: string | null;
  leastScore: number | null;
  mostScore: number | null;
  leastTurns: number | null;
  mostTurns: number | null;
  step: number | null;
  /** Text that the record contains; empty: any. */
  text: string;
}

export const noFilter: Filter = {
  success: 'any',
  world: null,
  family: null,
  leastScore: null,
  mostScore: null,
  leastTurns: null,
  mostTurns: null,
  step: null,
  text: '',
};

export const orderKeys = ['place', 'score', 'success', 'turns', 'bytes', 'world', 'step'] as const;

/** `place`: the order of the file. Records without a value come last in either direction. */
export interface RecordOrder {
  by: (typeof orderKeys)[number];
  descending: boolean;
}

export const fileOrder: RecordOrder = { by: 'place', descending: false };

const successOf = { yes: 1, no: 0, unknown: 2 } as const;

/** Returns a test of a record's columns; the text filter is separate. */
function passes(filter: Filter, index: RecordIndex): (i: number) => boolean {
  const { success, world, family, leastScore, mostScore, leastTurns, mostTurns, step } = filter;
  const wantedWorld = world === null ? -1 : index.worlds.indexOf(world || null);
  const wantedFamily = family === null ? -1 : index.families.indexOf(family);
  const wantedSuccess = success === 'any' ? -1 : successOf[success];
  const [least, most] = [leastScore ?? -Infinity, mostScore ?? Infinity];
  const scored = leastScore !== null || mostScore !== null;
  return (i) =>
    (wantedSuccess < 0 || index.success[i] === wantedSuccess) &&
    (world === null || index.world[i] === wantedWorld) &&
    (family === null || index.family[i] === wantedFamily) &&
    (!scored || (index.reward[i] >= least && index.reward[i] <= most)) &&
    index.turns[i] >= (leastTurns ?? 0) &&
    index.turns[i] <= (mostTurns ?? Infinity) &&
    (step === null || index.step[i] === step);
}

/** Number to sort a record by; NaN: it has none. */
function keyOf(index: RecordIndex, by: RecordOrder['by']): (i: number) => number {
  const keys: { [by in RecordOrder['by']]: (i: number) => number } = {
    place: (i) => i,
    score: (i) => index.reward[i],
    success: (i) => (index.success[i] === 2 ? Number.NaN : index.success[i]),
    turns: (i) => index.turns[i],
    bytes: (i) => index.bytes[i],
    world: worldRank(index),
    step: (i) => (index.step[i] === 0xffffffff ? Number.NaN : index.step[i]),
  };
  return keys[by];
}

/** Ranks worlds by name. */
function worldRank(index: RecordIndex): (i: number) => number {
  const named = index.worlds.map((name, number) => ({ name, number })).slice(1);
  named.sort((a, b) => (a.name! < b.name! ? -1 : 1));
  const rank = new Float64Array(index.worlds.length).fill(Number.NaN);
  named.forEach(({ number }, at) => {
    rank[number] = at;
  });
  return (i) => rank[index.world[i]];
}

/** Indices of the records that pass, in order. `found`: records that contain the searched text; null: no search. */
export function filteredRecords(
  index: RecordIndex,
  filter: Filter,
  { by, descending }: RecordOrder,
  found: Uint8Array | null = null,
): Uint32Array {
  const isIn = passes(filter, index);
  const order = new Uint32Array(index.length);
  let count = 0;
  for (let i = 0; i < index.length; i++) if ((!found || found[i] === 1) && isIn(i)) order[count++] = i;
  const kept = order.subarray(0, count);
  if (by === 'place') return descending ? kept.reverse() : kept;
  const key = new Float64Array(index.length);
  const of = keyOf(index, by);
  for (const i of kept) key[i] = of(i);
  const sign = descending ? -1 : 1;
  // The sort of typed arrays is stable, so ties keep the order of the file.
  return kept.sort((a, b) => {
    const [x, y] = [key[a], key[b]];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return sign * (x - y) || a - b;
  });
}
