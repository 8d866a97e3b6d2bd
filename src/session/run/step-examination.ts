/**
 * Changes over a stored step, from its trajectories and the checkpoints before and after it. Uses an engine and a
 * store; independent of the page.
 */
import { parametersOf } from '../../policy/moments.ts';
import type { PolicyState } from '../../policy/policy.ts';
import { alternativesAt } from '../../rl/alternatives.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { RunStore } from '../../store/run-store.ts';
import { decodeState } from '../checkpoint.ts';
import type { Engine } from '../engine.ts';
import type { StepInspection, TokenAlternative, TokenPlace, WeightChange } from '../protocol.ts';
import { decodeTrajectories } from './trajectory-codec.ts';

export interface StoredStep {
  before: PolicyState;
  after: PolicyState;
  trajectories: Trajectory[];
}

/** Loads a step's trajectories and both checkpoints; null: one of the three is not kept. */
export async function storedStep(store: RunStore, runId: string, step: number): Promise<StoredStep | null> {
  if (step < 1) return null;
  const kept = await store.checkpointSteps(runId);
  if (!kept.includes(step) || !kept.includes(step - 1)) return null;
  const [before, after] = [await store.checkpoint(runId, step - 1), await store.checkpoint(runId, step)];
  const bytes = await store.trajectories(runId, step);
  if (!before || !after || !bytes) return null;
  return {
    before: decodeState(before.bytes, before.meta.optimizerStep),
    after: decodeState(after.bytes, after.meta.optimizerStep),
    trajectories: decodeTrajectories(bytes),
  };
}

/** Once it resolves, the engine holds the weights from after the step. */
export async function inspectionOf(engine: Engine, step: number, stored: StoredStep): Promise<StepInspection | null> {
  const { before, after, trajectories } = stored;
  const weights = weightChanges(before, after);
  if (!engine.training?.examine) return { step, episodes: [], totalWeight: 0, weights };
  let loaded = false;
  const loadAfter = async () => {
    await engine.load(after);
    loaded = true;
  };
  try {
    await engine.load(before);
    return { step, weights, ...(await engine.training.examine(step, trajectories, loadAfter)) };
  } finally {
    if (!loaded) await engine.load(after);
  }
}

/** Alternatives of one token before and after the step; null if it had none. The engine ends with the later weights. */
export async function alternativesOf(
  engine: Engine,
  step: number,
  { before, after, trajectories }: StoredStep,
  { group, member, position }: TokenPlace,
): Promise<TokenAlternative[] | null> {
  const trajectory = trajectories.find((each) => each.group === group && each.member === member);
  const score = engine.training?.alternatives;
  const tokens = trajectory ? alternativesAt(trajectory, position) : [];
  if (!trajectory || !score || !tokens.length) return null;
  const logprobs = () => score(step, trajectory, position);
  const was = await engine
    .load(before)
    .then(logprobs)
    .finally(() => engine.load(after));
  const is = await logprobs();
  return tokens.map((token, k) => ({ token, before: Math.exp(was[k]), after: Math.exp(is[k]) }));
}

const squares = (values: ArrayLike<number>, other?: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - (other?.[i] ?? 0)) ** 2;
  return sum;
};

/** Change in each part of each layer; weight and bias of a projection count as one part. */
function weightChanges(before: PolicyState, after: PolicyState): WeightChange[] {
  const parts = new Map<string, WeightChange & { squares: number; moved: number }>();
  for (const [full, { data }] of parametersOf(before.tensors)) {
    const other = after.tensors.get(full)?.data;
    const parsed = /^(?:model\.)?(?:layers\.(\d+)\.)?(.+)\.(?:weight|bias)$/.exec(full);
    if (!parsed || other?.length !== data.length) continue;
    const [, layer = null, rest] = parsed;
    const key = `${layer}/${rest}`;
    const part = parts.get(key) ?? {
      name: rest,
      layer: layer === null ? null : Number(layer),
      ...{ count: 0, norm: 0, change: 0, squares: 0, moved: 0 },
    };
    part.count += data.length;
    part.squares += squares(data);
    part.moved += squares(other, data);
    parts.set(key, part);
  }
  return [...parts.values()].map(({ squares: own, moved, ...part }) => ({
    ...part,
    norm: Math.sqrt(own),
    change: Math.sqrt(moved),
  }));
}
