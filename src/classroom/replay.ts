/**
 * Computes steps of a handed-in run again: from a checkpoint, each step's episodes, metrics and evaluation, and the
 * weights at the next checkpoint. On the same kind of device all of it must be equal to the bit. On another kind the
 * last digits differ, so that episodes may part: there, most episodes must be the same, and the updates are repeated on
 * the stored episodes and compared within a tolerance.
 */
import type { Random } from '../envs/random.ts';
import { parametersOf } from '../policy/moments.ts';
import type { PolicyState } from '../policy/policy.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import { NoRoomError } from '../rl/episode/unplayed.ts';
import type { SplitEvaluation, StepRecord } from '../rl/evaluation/evaluation.ts';
import { sameTokens } from '../rl/replay.ts';
import { NotRepeatableError } from '../rl/trainer.ts';
import { decodeState, encodeState } from '../session/checkpoint.ts';
import type { Engine, EngineFactory, StepOptions } from '../session/engine.ts';
import { evaluates, isMeasured } from '../session/run/schedule.ts';
import { decodeTrajectories, encodeTrajectories } from '../session/run/trajectory-codec.ts';
import type { StoredCheckpoint } from '../store/run-store.ts';
import type { HandedIn } from './hand-in.ts';
import { RefusedError } from './refused.ts';

/** Bounds between two kinds of devices; docs/classroom.md has the measurements behind them. */
const tolerance = {
  /** Minimum share of a step's episodes with equal tokens. */
  episodes: 0.75,
  /** Maximum difference of a log-probability in an episode with equal tokens, in the step after a kept checkpoint. */
  logprob: 1e-3,
  /** The same in the steps after it: their weights were computed here, and have drifted from the run's. */
  driftedLogprob: 0.02,
  /** Maximum difference of the weights, as a share of their change since the kept checkpoint before. */
  weights: 0.02,
  /** Maximum ratio of the counted operations. */
  work: 2,
  /** Maximum difference of a success rate in an evaluation. */
  rate: 0.2,
} as const;

/** Steps from one kept checkpoint towards the next. */
export interface Segment {
  from: number;
  /** Last step that is computed. */
  to: number;
  /** True if `to` has a checkpoint to compare with. */
  ends: boolean;
}

/** Segments to compute, at most `most` steps of them: the first, the last, and others that are drawn. */
export function segmentsOf(kept: readonly number[], most: number, random: Random): Segment[] {
  const all = kept.slice(1).map((to, k): Segment => ({ from: kept[k], to, ends: true }));
  if (!all.length) return [];
  const middle = random.shuffle(all.slice(1, -1));
  const ordered = [all.at(-1)!, ...(all.length > 1 ? [all[0]] : []), ...middle];
  const chosen: Segment[] = [];
  let left = Math.max(1, most);
  for (const { from, to } of ordered) {
    const steps = chosen.length < 2 ? Math.min(to - from, Math.max(1, left)) : Math.min(to - from, left);
    if (steps < 1) break;
    chosen.push({ from, to: from + steps, ends: from + steps === to });
    left -= steps;
  }
  return chosen.sort((a, b) => a.from - b.from);
}

/** True for a metric that the same computation need not give again: the device's earlier work changes it too. */
const varies = (name: string) => isMeasured(name) || name === 'buffersCreated';

const comparable = (metrics: StepRecord['metrics']) =>
  JSON.stringify(
    Object.entries(metrics)
      .filter(([name]) => !varies(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Name of the first metric that differs. */
function differing(a: StepRecord['metrics'], b: StepRecord['metrics']): string {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !varies(name));
  const name = names.find((each) => JSON.stringify(a[each]) !== JSON.stringify(b[each])) ?? 'stage';
  return `${name} is ${a[name] ?? 'missing'} and comes out as ${b[name] ?? 'missing'}`;
}

/** Episodes as they come back from a file. */
const stored = (episodes: readonly Trajectory[]) => decodeTrajectories(encodeTrajectories(episodes));

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, k) => byte === b[k]);
}

/** Result of an episode in its world. */
const resultOf = ({ success, score, ending, turns }: Trajectory) =>
  JSON.stringify([success, score, ending, turns.map(({ reward, valid, observation }) => [reward, valid, observation])]);

/** Largest difference of the log-probabilities of two episodes with equal tokens. */
const logprobGap = (a: Trajectory, b: Trajectory) =>
  a.logprob.reduce((most, value, k) => Math.max(most, Math.abs(value - b.logprob[k])), 0);

/**
 * Difference of two states as a share of the change between `before` and the first. The last digits of a device drift
 * with every step, so that the difference grows with the change of all of them and not with that of the last step.
 */
function shareOfChange(before: PolicyState, a: PolicyState, b: PolicyState): number {
  let [apart, change] = [0, 0];
  for (const [name, { data }] of parametersOf(a.tensors)) {
    const [was, other] = [before.tensors.get(name)?.data, b.tensors.get(name)?.data];
    if (was?.length !== data.length || other?.length !== data.length) return Number.POSITIVE_INFINITY;
    for (let k = 0; k < data.length; k++) {
      apart += (data[k] - other[k]) ** 2;
      change += (data[k] - was[k]) ** 2;
    }
  }
  return change === 0 ? (apart === 0 ? 0 : Number.POSITIVE_INFINITY) : Math.sqrt(apart / change);
}

/** Largest differences of a run that was computed on another kind of device. */
interface Gaps {
  /** Minimum share of a step's episodes with equal tokens. */
  episodes: number;
  logprob: number;
  /** Difference of the weights, as a share of their change since the kept checkpoint before; null: not compared. */
  weights: number | null;
}

/** Results of the repeated computation. */
export interface Replayed {
  steps: number[];
  /** True: equal to the bit on the same kind of device. False: within the tolerance. */
  exact: boolean;
  /** Largest differences between two kinds of devices; absent where all is equal. */
  gaps?: Gaps;
  /** Device of the run and of this computation. */
  devices: { run: string; here: string };
}

/** Devices whose arithmetic is specified to the bit. A GPU's depends on its driver, which an adapter's name leaves out. */
const sameEverywhere = /^processor\b/;

const signalNever = new AbortController().signal;
const options: StepOptions = { signal: signalNever };

/** One handed-in run on an open engine. */
class Replay {
  readonly gaps: Gaps = { episodes: 1, logprob: 0, weights: null };

  constructor(
    private readonly run: HandedIn,
    private readonly engine: Engine,
    private readonly exact: boolean,
  ) {}

  private get training() {
    return this.engine.training!;
  }

  private record(step: number): StepRecord {
    return this.run.records[step];
  }

  private checkpoint(step: number): StoredCheckpoint {
    return this.run.checkpoints.find(({ meta }) => meta.step === step)!;
  }

  private episodes(step: number): readonly Trajectory[] | undefined {
    return this.run.trajectories.get(step);
  }

  private async load(step: number): Promise<PolicyState> {
    const { bytes, meta } = this.checkpoint(step);
    const state = decodeState(bytes, meta.optimizerStep);
    await this.engine.load(state);
    return state;
  }

  /** The weights of step 0 must be those that the settings and the seed give. */
  async beginning(): Promise<void> {
    await this.engine.initialize();
    const own = encodeState(await this.training.save());
    if (!equalBytes(own, this.checkpoint(0).bytes))
      throw new RefusedError(
        'beginning',
        `The weights of step 0 are not those that seed ${this.run.experiment.seed} and the settings give.`,
      );
    if (comparable(this.record(0).metrics) !== comparable({}))
      throw new RefusedError('step', 'The record of step 0 has metrics, though nothing was trained yet.');
    await this.evaluation(0);
  }

  async segment({ from, to, ends }: Segment): Promise<number[]> {
    const before = await this.load(from);
    if (!this.exact) return this.nearSegment({ from, to, ends }, before);
    for (let step = from + 1; step <= to; step++) await this.equalStep(step);
    if (ends) await this.equalWeights(to);
    return Array.from({ length: to - from }, (_, k) => from + 1 + k);
  }

  /** Runs a step and compares everything. */
  private async equalStep(step: number): Promise<void> {
    const { record, trajectories } = await this.training.step(step, options);
    const claimed = this.record(step);
    const episodes = this.episodes(step);
    if (episodes && !equalBytes(encodeTrajectories(episodes), encodeTrajectories(stored(trajectories))))
      throw new RefusedError(
        'step',
        `The episodes of step ${step} are not those that come out of the weights before it.`,
      );
    if (claimed.stage !== record.stage || comparable(claimed.metrics) !== comparable(record.metrics))
      throw new RefusedError(
        'step',
        `The record of step ${step} does not follow from the weights before it: ${differing(claimed.metrics, record.metrics)}.`,
      );
    await this.evaluation(step);
  }

  private async equalWeights(step: number): Promise<void> {
    const own = encodeState(await this.training.save());
    if (!equalBytes(own, this.checkpoint(step).bytes))
      throw new RefusedError('weights', `The weights of step ${step} do not follow from the steps before them.`);
  }

  /** Compares an evaluation; one that is due may be missing only if no episode fits into the run's tokens. */
  private async evaluation(step: number): Promise<void> {
    const claimed = this.record(step).evaluation;
    if (!claimed && !evaluates(this.run.experiment, step)) return;
    const own = await this.engine.evaluate(step, options).catch((error) => {
      if (error instanceof NoRoomError) return undefined;
      throw error;
    });
    if (!claimed && !own) return;
    if (!claimed || !own)
      throw new RefusedError('evaluation', `The evaluation of step ${step} is missing, or was not due.`);
    const refused = new RefusedError(
      'evaluation',
      `The evaluation of step ${step} gives ${own.test.policy.successes} of ${own.test.policy.episodes} on held-out tasks; its record has ${claimed.test.policy.successes} of ${claimed.test.policy.episodes}.`,
    );
    if (this.exact) {
      if (JSON.stringify(own) !== JSON.stringify(claimed)) throw refused;
      return;
    }
    const far = ({ policy }: SplitEvaluation, other: SplitEvaluation) =>
      policy.episodes !== other.policy.episodes || Math.abs(policy.rate - other.policy.rate) > tolerance.rate;
    if (far(own.test, claimed.test) || far(own.train, claimed.train)) throw refused;
  }

  /** On another kind of device: each step's episodes, its update on the stored ones, and the weights at the end. */
  private async nearSegment({ from, to, ends }: Segment, before: PolicyState): Promise<number[]> {
    const steps: number[] = [];
    let state = before;
    for (let step = from + 1; step <= to; step++) {
      const episodes = this.episodes(step);
      if (!episodes) return steps;
      await this.nearStep(step, episodes, step === from + 1 ? tolerance.logprob : tolerance.driftedLogprob);
      steps.push(step);
      // An algorithm that collects more than its episodes cannot go on from them.
      const repeated = await this.repeated(step, state, episodes);
      if (!repeated) return steps;
      if (step === to && ends) this.nearWeights({ from, to }, before, repeated);
      state = repeated;
    }
    if (ends && (this.record(to).evaluation || evaluates(this.run.experiment, to))) {
      await this.load(to);
      await this.evaluation(to);
    }
    return steps;
  }

  private async repeated(
    step: number,
    state: PolicyState,
    episodes: readonly Trajectory[],
  ): Promise<PolicyState | null> {
    const { repeat } = this.training;
    if (!repeat) return null;
    await this.engine.load(state);
    try {
      await repeat(step, episodes);
    } catch (error) {
      if (error instanceof NotRepeatableError) return null;
      throw error;
    }
    return this.training.save();
  }

  private async nearStep(step: number, episodes: readonly Trajectory[], mostGap: number): Promise<void> {
    const { trajectories, record } = await this.training.step(step, options);
    const claimed = new Map(episodes.map((each) => [`${each.group}/${each.member}`, each]));
    const pairs = trajectories.map((each) => [each, claimed.get(`${each.group}/${each.member}`)] as const);
    const equal = pairs.filter(([own, other]) => other !== undefined && sameTokens(own, other));
    const share = equal.length / Math.max(1, pairs.length, episodes.length);
    this.gaps.episodes = Math.min(this.gaps.episodes, share);
    if (share < tolerance.episodes)
      throw new RefusedError(
        'step',
        `Only ${(100 * share).toFixed(0)}% of the episodes of step ${step} come out of the weights before it; at least ${100 * tolerance.episodes}% are needed between two kinds of devices.`,
      );
    const gap = equal.reduce((most, [own, other]) => Math.max(most, logprobGap(own, other!)), 0);
    this.gaps.logprob = Math.max(this.gaps.logprob, gap);
    if (gap > mostGap)
      throw new RefusedError(
        'step',
        `A log-probability of step ${step} differs by ${gap.toExponential(1)}; at most ${mostGap} is allowed between two kinds of devices.`,
      );
    if (equal.some(([own, other]) => resultOf(own) !== resultOf(other!)))
      throw new RefusedError('step', `An episode of step ${step} has another result than its actions give.`);
    this.nearWork(step, record);
  }

  /** Other kernels count other operations, but not many times as many. */
  private nearWork(step: number, { metrics }: StepRecord): void {
    const { flops } = this.record(step).metrics;
    const ratio = flops / metrics.flops;
    if (!(ratio >= 1 / tolerance.work && ratio <= tolerance.work))
      throw new RefusedError('step', `Step ${step} took ${metrics.flops} operations; its record has ${flops}.`);
  }

  private nearWeights({ from, to }: Pick<Segment, 'from' | 'to'>, before: PolicyState, own: PolicyState): void {
    const { bytes, meta } = this.checkpoint(to);
    const share = shareOfChange(before, decodeState(bytes, meta.optimizerStep), own);
    this.gaps.weights = Math.max(this.gaps.weights ?? 0, share);
    if (!(share <= tolerance.weights))
      throw new RefusedError(
        'weights',
        `The weights of step ${to} differ from those that the episodes give by ${(100 * share).toFixed(1)}% of their change since step ${from}; at most ${100 * tolerance.weights}% is allowed between two kinds of devices.`,
      );
  }
}

/** Computes a part of the run's steps again. Throws RefusedError at the first that differs. */
export async function replay(
  run: HandedIn,
  engines: EngineFactory,
  { most, random }: { most: number; random: Random },
): Promise<Replayed> {
  const { meta } = run.checkpoints.at(-1)!;
  const { 'config.json': config, 'tokenizer.json': tokenizer } = run.assets;
  // The vocabulary must be the one that the settings give, so the run's own files are not used.
  const engine = await engines.open(run.experiment, {
    assets: null,
    choices: meta,
    purpose: 'train',
    onProgress: () => {},
    signal: signalNever,
  });
  try {
    for (const [name, own] of [['config.json', config] as const, ['tokenizer.json', tokenizer] as const])
      if (!own || !equalBytes(own, engine.assets[name]))
        throw new RefusedError('beginning', `${name} is not the one that the settings give.`);
    const exact =
      sameEverywhere.test(meta.adapter) &&
      meta.adapter === engine.choices.adapter &&
      JSON.stringify(meta.kernelChoices) === JSON.stringify(engine.choices.kernelChoices);
    const one = new Replay(run, engine, exact);
    await one.beginning();
    const kept = run.checkpoints.map((each) => each.meta.step);
    const steps: number[] = [];
    for (const segment of segmentsOf(kept, most, random)) steps.push(...(await one.segment(segment)));
    return {
      steps,
      exact,
      ...(exact ? {} : { gaps: one.gaps }),
      devices: { run: meta.adapter, here: engine.choices.adapter },
    };
  } finally {
    await engine.close();
  }
}
