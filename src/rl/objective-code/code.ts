/**
 * Objective typed by a person: text that runs in the sandbox instead of an algorithm's function. It reads the same
 * columns and returns the same numbers; the result is checked before anything is learnt from it.
 */
import type { ObjectiveFacts, ObjectiveResult, ObjectiveRows, RemoteObjective } from '../../policy/policy.ts';
import type { NamedArrays, SandboxResult } from '../../sandbox/protocol.ts';
import type { CodeRunner } from '../common/code-runner.ts';
import { policyAux } from '../objective/clipped.ts';
import prelude from './text/prelude.js?raw';

/** File name of the code in messages. */
const codeFile = 'objective.js';

/** Maximum number of characters of a description of what is wrong with a result: it may quote the code's own names. */
const longestProblem = 500;

/** The code returned a value that is not a result of an objective. */
export class ObjectiveShapeError extends Error {
  override name = 'ObjectiveShapeError';
}

/** The code returned NaN, an infinity or a number beyond single precision. `row` from 0. */
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

/** Metrics that an objective may return: those of `metrics/metrics.ts` that belong to objectives. */
export const objectiveMetrics = [
  'clipBoundLow',
  'clipBoundHigh',
  'positiveShare',
  'preferenceAccuracy',
  'preferenceMargin',
  'ktoBaseline',
  'valueLoss',
] as const;

/** Change of one number of the rows. `row` from 0. */
export type Move = readonly [column: 'logprob' | 'entropy' | 'value', row: number, change: number];

export interface CodeEvaluation extends ObjectiveResult {
  /** Summed loss of each move; values held by `stopGradient` keep their values without a move. */
  totals: Float64Array;
}

const arraysOf = ({ logprob, entropy, value, columns, sequence, turn, group, pair }: ObjectiveRows): NamedArrays => {
  const all = { logprob, entropy, ...(value ? { value } : {}), ...columns, sequence, turn, group, pair };
  return Object.fromEntries(Object.entries(all).map(([name, array]) => [name, new Float64Array(array)]));
};

/**
 * Evaluates the code once, and its loss for each move of the rows. Rejects with a SandboxError, an ObjectiveShapeError
 * or an ObjectiveValueError.
 */
export async function evaluateCode(
  runner: CodeRunner,
  { code, settings }: { code: string; settings: unknown },
  rows: ObjectiveRows,
  moves: readonly Move[] | null = null,
): Promise<CodeEvaluation> {
  const values = { count: rows.count, settings, moves };
  return checked(await runner.call({ prelude, code, file: codeFile, arrays: arraysOf(rows), values }), rows.count);
}

/** Checks the shape of a result and refuses NaN. */
function checked({ arrays, values }: SandboxResult, count: number): CodeEvaluation {
  const { problem, metrics } = Object(values) as { problem?: unknown; metrics?: unknown };
  if (problem) throw new ObjectiveShapeError(`${codeFile}: ${String(problem).slice(0, longestProblem)}.`);
  for (const name of ['loss', 'weight'])
    if (!arrays[name]) throw new ObjectiveShapeError(`${codeFile}: the result has no ${name}.`);
  const { totals = new Float64Array(0), ...columns } = arrays;
  for (const [name, column] of Object.entries(columns)) {
    if (column.length !== count)
      throw new ObjectiveShapeError(`${codeFile}: ${name} has ${column.length} numbers for ${count} rows.`);
    // The engine continues in single precision, where 1e39 is infinite.
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

function checkedMetrics(metrics: unknown): { [name: string]: number } {
  if (metrics === null || typeof metrics !== 'object' || Array.isArray(metrics))
    throw new ObjectiveShapeError(`${codeFile}: metrics must be an object of numbers.`);
  const known: readonly string[] = objectiveMetrics;
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => {
      if (known.includes(name) && typeof value === 'number' && Number.isFinite(value)) return [name, value];
      throw new ObjectiveShapeError(
        `${codeFile}: metrics.${name} is not accepted: a metric must be a finite number named one of ${known.join(', ')}.`,
      );
    }),
  );
}

/**
 * The code in place of an algorithm's objective: the same columns, no scalars, because the code reads the settings
 * themselves.
 */
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
      const sentence = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
      error.message = `${sentence} The run is paused at its last step: fix the objective and continue.`;
      throw error;
    }),
});
