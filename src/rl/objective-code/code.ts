/**
 * A person's own objective: text that runs in the sandbox in place of an algorithm's function. It reads the same columns and gives back the
 * same numbers; what comes back is checked before anything is learnt from it.
 */
import type { ObjectiveFacts, ObjectiveResult, ObjectiveRows, RemoteObjective } from '../../policy/policy.ts';
import type { NamedArrays, SandboxCall, SandboxResult } from '../../sandbox/protocol.ts';
import { policyAux } from '../objective/clipped.ts';
import prelude from './text/prelude.js?raw';

/** What the code is called in messages. */
export const codeFile = 'objective.js';

/** Who runs code; `sandbox/sandbox.ts` in a page and on Node. */
export interface CodeRunner {
  call(call: SandboxCall): Promise<SandboxResult>;
}

/** What the code gave back is no result of an objective. */
export class ObjectiveShapeError extends Error {
  override name = 'ObjectiveShapeError';
}

/** The code gave back NaN, an infinity or what single precision cannot hold. `row` from 0. */
export class ObjectiveValueError extends Error {
  override name = 'ObjectiveValueError';
  constructor(
    readonly column: string,
    readonly row: number,
    readonly value: number,
  ) {
    super(
      `${codeFile}: ${column} is ${value} in row ${row}. Look for a division by 0, a logarithm of 0 or a number that was never set.`,
    );
  }
}

/** An experiment carries code, and nothing here may run it. */
export class NoSandboxError extends Error {
  override name = 'NoSandboxError';
  constructor() {
    super('This experiment has an objective of its own, and this program was not made to run code.');
  }
}

/** Names of what an objective may count; those of `rl/metrics.ts` that belong to objectives. */
export const objectiveMetrics = [
  'clipBoundLow',
  'clipBoundHigh',
  'positiveShare',
  'preferenceAccuracy',
  'preferenceMargin',
  'ktoBaseline',
  'valueLoss',
] as const;

/** One number of the rows is changed by so much. `row` from 0. */
export type Move = readonly [column: 'logprob' | 'entropy' | 'value', row: number, change: number];

export interface CodeEvaluation extends ObjectiveResult {
  /** The summed loss of each move; what `stopGradient` holds stays as it was without one. */
  totals: Float64Array;
}

const arraysOf = ({ logprob, entropy, value, columns, sequence, turn, group, pair }: ObjectiveRows): NamedArrays => {
  const all = { logprob, entropy, ...(value ? { value } : {}), ...columns, sequence, turn, group, pair };
  return Object.fromEntries(Object.entries(all).map(([name, array]) => [name, new Float64Array(array)]));
};

/** One evaluation of the code, and of its loss where the rows are moved. Rejects with a SandboxError, an ObjectiveShapeError or an ObjectiveValueError. */
export async function evaluateCode(
  runner: CodeRunner,
  { code, settings }: { code: string; settings: unknown },
  rows: ObjectiveRows,
  moves: readonly Move[] | null = null,
): Promise<CodeEvaluation> {
  const values = { count: rows.count, settings, moves };
  return checked(await runner.call({ prelude, code, file: codeFile, arrays: arraysOf(rows), values }), rows.count);
}

/** A result of the right shape, without NaN. */
function checked({ arrays, values }: SandboxResult, count: number): CodeEvaluation {
  const { problem, metrics = {} } = values as { problem?: string; metrics?: { [name: string]: unknown } };
  if (problem) throw new ObjectiveShapeError(`${codeFile}: ${problem}.`);
  const { totals = new Float64Array(0), ...columns } = arrays;
  for (const [name, column] of Object.entries(columns)) {
    if (column.length !== count)
      throw new ObjectiveShapeError(`${codeFile}: ${name} has ${column.length} numbers for ${count} rows.`);
    // The engine goes on in single precision, where 1e39 is infinite too.
    const row = column.findIndex((value) => !Number.isFinite(Math.fround(value)));
    if (row >= 0) throw new ObjectiveValueError(name, row, column[row]);
  }
  const zeros = () => new Float64Array(count);
  return {
    loss: columns.loss,
    weight: columns.weight,
    entropyWeight: columns.entropyWeight ?? zeros(),
    valueWeight: columns.valueWeight,
    aux: Object.fromEntries(policyAux.map((name) => [name, columns[`aux.${name}`] ?? zeros()])),
    metrics: checkedMetrics(metrics),
    totals,
  };
}

function checkedMetrics(metrics: { [name: string]: unknown }): { [name: string]: number } {
  const known: readonly string[] = objectiveMetrics;
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => {
      if (known.includes(name) && typeof value === 'number' && Number.isFinite(value)) return [name, value];
      throw new ObjectiveShapeError(
        `${codeFile}: metrics.${name} cannot be counted: a metric is a finite number called ${known.join(', ')}.`,
      );
    }),
  );
}

/** The code in place of an algorithm's objective: its columns, no scalars, since the code reads the settings themselves. */
export const codeObjective = (
  runner: CodeRunner,
  own: { code: string; settings: unknown },
  { name, columns, batch }: ObjectiveFacts,
): RemoteObjective => ({
  name: `${name}-code`,
  columns,
  scalars: [],
  aux: policyAux,
  batch,
  evaluate: (rows) =>
    evaluateCode(runner, own, rows).catch((error: Error) => {
      const said = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
      error.message = `${said} The run stands at its last step: mend the objective and train on.`;
      throw error;
    }),
});
