/** Several algorithms on the episodes of a stored step, and on those of a recorded step of another tool. */
import type { PolicyState } from '../../policy/policy.ts';
import { compareRecorded } from '../../rl/compare-recorded.ts';
import { recordedStage } from '../../rl/unipo.ts';
import type { RunStore } from '../../store/run-store.ts';
import { decodeState, REFERENCE } from '../checkpoint.ts';
import type { Engine } from '../engine.ts';
import type { ComparisonRequest, StepComparison, TrainerApi } from '../protocol.ts';
import type { StoredStep } from './step-examination.ts';

/** The weights that a run began with; null: they are not kept. */
export async function referenceOf(store: RunStore, runId: string): Promise<PolicyState | null> {
  const bytes = await store.asset(runId, REFERENCE);
  return bytes && decodeState(bytes, 0);
}

/** Once it resolves, the engine holds the weights from after the step. Null: the policy does not train. */
export async function comparisonOf(
  engine: Engine,
  step: number,
  { before, after, trajectories }: StoredStep,
  reference: PolicyState | null,
  { choices, weights }: ComparisonRequest,
): Promise<StepComparison | null> {
  if (!engine.training?.compare) return null;
  const now = weights === 'before' ? before : after;
  try {
    await engine.load(now);
    return {
      step,
      weights,
      objectives: await engine.training.compare(step, trajectories, choices, { now, reference }),
    };
  } finally {
    await engine.load(after);
  }
}

/** The same for a step of a file, from its recorded log-probabilities. */
export const recordedComparison: TrainerApi['compareRecorded'] = async (recorded, { choices, weights }) => {
  const stage = recordedStage(recorded.header);
  return { step: recorded.step, weights, objectives: await compareRecorded(recorded, stage, choices, weights) };
};
