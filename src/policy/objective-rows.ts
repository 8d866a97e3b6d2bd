/** Builds the rows of an objective from arrays, for the engine and for tests that call `ObjectiveSpec.evaluate`. */
import type { ObjectiveFacts, ObjectiveRows, RowIds } from './policy.ts';

export interface PlainRows {
  logprob: ArrayLike<number>;
  entropy: ArrayLike<number>;
  value?: ArrayLike<number> | null;
  /** One array per column, in the objective's order. */
  columns: readonly ArrayLike<number>[];
  ids?: RowIds;
}

/** Thrown when columns, rows or scalars differ from those that an objective declares. */
export class ObjectiveError extends Error {
  override name = 'ObjectiveError';
}

const noIds = (count: number): RowIds => ({
  sequence: new Int32Array(count),
  turn: new Int32Array(count),
  group: new Int32Array(count),
  pair: new Int32Array(count).fill(-1),
});

export function checkRows(spec: ObjectiveFacts, rows: PlainRows, scalars: readonly number[]): void {
  const { columns, logprob } = rows;
  if (columns.length !== spec.columns.length || scalars.length !== spec.scalars.length)
    throw new ObjectiveError(
      `Objective ${spec.name} takes columns ${spec.columns.join(', ')} and scalars ${spec.scalars.join(', ')}.`,
    );
  columns.forEach((column, c) => {
    if (column.length !== logprob.length)
      throw new ObjectiveError(
        `Objective ${spec.name}: column ${spec.columns[c]} has ${column.length} rows, ${logprob.length} are scored.`,
      );
  });
}

export function objectiveRows(spec: ObjectiveFacts, rows: PlainRows, scalars: readonly number[]): ObjectiveRows {
  checkRows(spec, rows, scalars);
  const count = rows.logprob.length;
  return {
    count,
    logprob: rows.logprob,
    entropy: rows.entropy,
    value: rows.value ?? null,
    columns: Object.fromEntries(spec.columns.map((name, c) => [name, rows.columns[c]])),
    scalars: Object.fromEntries(spec.scalars.map((name, k) => [name, scalars[k]])),
    ...(rows.ids ?? noIds(count)),
  };
}

/** Evaluates the objective on plain rows. Returns the result, or a promise if the objective runs elsewhere. */
export const evaluateObjective = <Result>(
  spec: ObjectiveFacts & { evaluate(rows: ObjectiveRows): Result },
  rows: PlainRows,
  scalars: readonly number[],
): Result => spec.evaluate(objectiveRows(spec, rows, scalars));

/** Joins micro-batches into one, for an objective that sums over all rows of an update. */
export function joinRows(parts: readonly PlainRows[]): PlainRows {
  const joined = (read: (part: PlainRows) => ArrayLike<number>) => {
    const out = new Float64Array(parts.reduce((sum, part) => sum + part.logprob.length, 0));
    let at = 0;
    for (const part of parts) {
      out.set(read(part), at);
      at += part.logprob.length;
    }
    return out;
  };
  const idsOf = (part: PlainRows) => part.ids ?? noIds(part.logprob.length);
  const id = (name: keyof RowIds) => Int32Array.from(joined((part) => idsOf(part)[name]));
  const { columns } = parts[0];
  return {
    logprob: joined(({ logprob }) => logprob),
    entropy: joined(({ entropy }) => entropy),
    value: parts[0].value ? joined(({ value }) => value!) : null,
    columns: columns.map((_, c) => joined((part) => part.columns[c])),
    ids: { sequence: id('sequence'), turn: id('turn'), group: id('group'), pair: id('pair') },
  };
}
