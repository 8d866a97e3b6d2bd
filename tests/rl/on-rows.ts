// Evaluates objectives on plain arrays, by the names of their columns, for the tests of losses and gradients.
import { evaluateObjective } from '../../src/policy/objective-rows.ts';
import type { ObjectiveResult, ObjectiveSpec, RowIds } from '../../src/policy/policy.ts';
import {
  type ClippedColumn,
  type ClippedSettings,
  clippedColumns,
  clippedObjective,
  clippedScalarValues,
  clipTerm,
  type PolicyTerm,
  ratioOf,
} from '../../src/rl/objective/clipped.ts';

export type NamedRows = { readonly [name: string]: ArrayLike<number> };

export function onRows(
  spec: ObjectiveSpec,
  scalars: readonly number[],
  { logprob, entropy, value, ...columns }: NamedRows & { logprob: ArrayLike<number> },
  ids?: RowIds,
): ObjectiveResult {
  const rows = {
    logprob,
    entropy: entropy ?? new Float64Array(logprob.length),
    value,
    columns: spec.columns.map((name) => columns[name]),
    ids,
  };
  return evaluateObjective(spec, rows, scalars);
}

export type ClippedInputs = { readonly [name in ClippedColumn | 'logprob' | 'entropy']: ArrayLike<number> };

export const clippedReference = (inputs: ClippedInputs, settings: ClippedSettings): ObjectiveResult =>
  onRows(clippedObjective, clippedScalarValues(settings), inputs);

/** Evaluates the clipped term of one token. */
export function clippedTerm(
  logprob: number,
  entropy: number,
  column: Readonly<Record<ClippedColumn, number>>,
  settings: ClippedSettings,
) {
  const columns = Object.fromEntries(clippedColumns.map((name) => [name, [column[name]]]));
  const { loss, weight, entropyWeight } = onRows(clippedObjective, clippedScalarValues(settings), {
    logprob: [logprob],
    entropy: [entropy],
    ...columns,
  });
  return { loss: loss[0], weight: weight[0], entropyWeight: entropyWeight[0] };
}

export function clippedPolicyTerm(
  logprob: number,
  old: number,
  advantage: number,
  settings: ClippedSettings,
): PolicyTerm {
  const { ratio, slope } = ratioOf(logprob - old);
  const infinite = Number.POSITIVE_INFINITY;
  return clipTerm(ratio, slope, advantage, {
    low: 1 - settings.clipLow,
    high: 1 + settings.clipHigh,
    dualClip: settings.dualClip ?? infinite,
    cap: settings.ratioCap ?? infinite,
  });
}
