/**
 * The critic's loss: one half of max((v - R)^2, (clip(v, V_old +- c) - R)^2) (PPO's code; verl@1dda039
 * `compute_value_loss`). The max leaves no gradient for a prediction that moved past the clip in the good direction.
 */
import type { ObjectiveResult, ObjectiveRows } from '../../policy/policy.ts';
import { clamp } from './kl.ts';

export interface ValueTerm {
  loss: number;
  /** dloss / dvalue */
  weight: number;
}

function valueTerm(value: number, old: number, target: number, clip: number): ValueTerm {
  const clipped = clamp(value, old - clip, old + clip);
  const free = (value - target) ** 2;
  const held = (clipped - target) ** 2;
  // Inside the clip both losses are equal, with the same slope. Outside, the clipped loss is constant: slope 0 where it
  // is the larger one.
  const weight = held > free ? (clipped === value ? value - target : 0) : value - target;
  return { loss: 0.5 * Math.max(free, held), weight };
}

/**
 * Adds the critic's loss and weights to a policy objective. Columns: oldValue, return, valueCoefficient; scalar:
 * valueClip.
 */
export const withCritic =
  (evaluate: (rows: ObjectiveRows) => ObjectiveResult) =>
  (rows: ObjectiveRows): ObjectiveResult => {
    const result = evaluate(rows);
    const valueWeight = new Float64Array(rows.count);
    let valueLoss = 0;
    for (let i = 0; i < rows.count; i++) {
      const { oldValue, return: target, valueCoefficient } = rows.columns;
      const term = valueTerm(rows.value![i], oldValue[i], target[i], rows.scalars.valueClip);
      const loss = valueCoefficient[i] * term.loss;
      valueLoss += loss;
      result.loss[i] += loss;
      valueWeight[i] = valueCoefficient[i] * term.weight;
    }
    return { ...result, valueWeight, metrics: { ...result.metrics, valueLoss } };
  };
