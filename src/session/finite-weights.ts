/** Checkpoints whose numbers are not finite: found by name, with the last step from which a run can go on. */
import { notFinite, tooLarge } from '../policy/finite.ts';
import { parametersOf } from '../policy/moments.ts';
import type { PolicyState, TensorMap } from '../policy/policy.ts';
import type { RunStore, StoredCheckpoint } from '../store/run-store.ts';
import { decodeState } from './checkpoint.ts';

/** The weights of a stored step are not finite: nothing can be played or trained with them. */
export class NotFiniteWeightsError extends Error {
  override name = 'NotFiniteWeightsError';
  constructor(
    step: number,
    problem: string,
    readonly lastGood: number | null,
  ) {
    super(
      `The weights of step ${step} cannot be used: ${problem}. ` +
        (lastGood === null
          ? 'No earlier checkpoint of this run is finite: start a new run.'
          : `Step ${lastGood} is the last good one: fork the run there (in the page under Runs; npm run train with --fork-at ${lastGood}).`),
    );
  }
}

/** An update gave weights that are not finite. Nothing of its step is committed. */
export class NotFiniteStepError extends Error {
  override name = 'NotFiniteStepError';
  constructor(step: number, problem: string) {
    super(
      `Step ${step} was not committed: after its update ${problem}. The run stays at step ${step - 1} and can repeat the step. ` +
        'Fork it there with a lower optimizer.learningRate or with optimizer.maxGradNorm.',
    );
  }
}

/** Description of a number that is not finite, or of a weight with which single precision overflows; null: none. */
const unusable = (tensors: TensorMap) => notFinite(tensors) ?? tooLarge(parametersOf(tensors));

/** Throws NotFiniteStepError if the weights after a step are not finite. */
export function requireFinite(step: number, { tensors }: PolicyState): void {
  const problem = unusable(tensors);
  if (problem) throw new NotFiniteStepError(step, problem);
}

const problemOf = ({ meta, bytes }: StoredCheckpoint) => unusable(decodeState(bytes, meta.optimizerStep).tensors);

/** The state of a run's checkpoint. Throws NotFiniteWeightsError, with the last good step, if it is not finite. */
export async function finiteState(store: RunStore, runId: string, checkpoint: StoredCheckpoint): Promise<PolicyState> {
  const { meta, bytes } = checkpoint;
  const state = decodeState(bytes, meta.optimizerStep);
  const problem = unusable(state.tensors);
  if (!problem) return state;
  for (const step of (await store.checkpointSteps(runId)).toReversed()) {
    const earlier = step < meta.step ? await store.checkpoint(runId, step) : null;
    if (earlier && !problemOf(earlier)) throw new NotFiniteWeightsError(meta.step, problem, step);
  }
  throw new NotFiniteWeightsError(meta.step, problem, null);
}

/** The last of a run's checkpoints; undefined if it has none. Throws NotFiniteWeightsError if it is not finite. */
export function lastFinite(checkpoints: readonly StoredCheckpoint[] = []): StoredCheckpoint | undefined {
  const sorted = checkpoints.toSorted((a, b) => b.meta.step - a.meta.step);
  const [last] = sorted;
  const problem = last && problemOf(last);
  if (!problem) return last;
  const good = sorted.find((each) => !problemOf(each));
  throw new NotFiniteWeightsError(last.meta.step, problem, good?.meta.step ?? null);
}
