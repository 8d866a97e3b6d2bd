/**
 * Optimiser steps from trajectories with credit: minibatches of whole groups, several passes over them, the algorithm's
 * objective. Old log-probabilities are those of the rollout; the reference's are scored once, before any update.
 */
import type {
  CriticSettings,
  Learner,
  ObjectiveSpec,
  OptimizerSettings,
  RemoteObjective,
  RowIds,
  TeacherRows,
  UpdateResult,
} from '../policy/policy.ts';
import type { Algorithm, Needs, ObjectiveCall } from './algorithms/algorithm.ts';
import { algorithmOf } from './algorithms/registry.ts';
import type { TrainingSet } from './assign-credit.ts';
import { sequenceCoefficients } from './common/aggregation.ts';
import { type CodeRunner, NoSandboxError } from './common/code-runner.ts';
import { groupBy, mean, sum } from './common/numbers.ts';
import { distributionRows } from './episode/choice-rows.ts';
import { chosenPositions, type MicroBatch, pack } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { Gap } from './metrics/gap.ts';
import { LEAST_SIGNAL_PARTS, MOST_SIGNAL_PARTS, momentsOf, productsOf, signalMetrics } from './metrics/signal.ts';
import { Flag } from './objective/clipped.ts';
import { codeObjective } from './objective-code/code.ts';
import type { OptimizerSchedule, TrainerSettings } from './settings.ts';

type Values = { [metric: string]: number };
/** Counts micro-batches: those that the reference scores, whose total is not known, and those of the updates. */
type Report = (what: 'scores' | 'updates', done: number, total: number | null) => void;
export type UpdateSettings = Pick<TrainerSettings, 'algorithm' | 'optimizer' | 'sampling'>;

/** Micro-batch with one array per column of the objective, and the rows' ids. */
export interface PreparedBatch {
  micro: MicroBatch;
  old: Float32Array;
  columns: Float32Array[];
  ids: RowIds;
  /** Given if the loss holds the divergence from a teacher. */
  teacher?: TeacherRows;
}

/** The part of a training set that an update reads. */
type UpdatedSet = Pick<TrainingSet, 'trajectories' | 'extras' | 'uncounted'>;

export interface Minibatch {
  batches: PreparedBatch[];
  /** Trajectories whose tokens the batches' rows count. */
  trajectories: readonly Trajectory[];
}

/** Source of an objective's columns. */
interface ColumnSource {
  micro: MicroBatch;
  trajectories: readonly Trajectory[];
  extras: TrainingSet['extras'];
  /** (B) aggregation coefficient of each trajectory's tokens. */
  coefficients: Float64Array;
  /** (N) log-probabilities of the reference; null: no term reads them, and the old log-probability is used instead. */
  reference: Float32Array | null;
}

type ColumnReader = (source: ColumnSource, row: number) => number;

const trajectoryAt = ({ micro, trajectories }: ColumnSource, row: number) => trajectories[micro.trajectory[row]];

/** Old log-probability: recomputed if the algorithm requests it, else as sampled. */
const oldLogprob: ColumnReader = (source, row) => {
  const trajectory = trajectoryAt(source, row);
  const recomputed = source.extras.get(trajectory)?.columns.oldLogprob;
  return recomputed ? recomputed[source.micro.choice[row]] : trajectory.logprob[source.micro.position[row]];
};

/** Readers of columns, by the names that objectives give them. */
const columnReaders: { readonly [name: string]: ColumnReader } = {
  oldLogprob,
  refLogprob: (source, row) => source.reference?.[row] ?? oldLogprob(source, row),
  advantage: (source, row) => trajectoryAt(source, row).advantages[source.micro.choice[row]],
  coefficient: (source, row) => {
    const extras = source.extras.get(trajectoryAt(source, row));
    const weight = (extras?.marks.weight ?? 1) * (extras?.columns.rowWeight?.[source.micro.choice[row]] ?? 1);
    return weight * source.coefficients[source.micro.trajectory[row]];
  },
  valueCoefficient: (source, row) => {
    const weight = source.extras.get(trajectoryAt(source, row))?.marks.weight ?? 1;
    return weight * source.coefficients[source.micro.trajectory[row]];
  },
};

/** Reader of a column that credit produced, one number per token or per sequence. */
const extraReader =
  (name: string): ColumnReader =>
  (source, row) => {
    const { columns, marks } = source.extras.get(trajectoryAt(source, row)) ?? { columns: {}, marks: {} };
    const value = columns[name]?.[source.micro.choice[row]] ?? marks[name];
    if (value === undefined)
      throw new UnknownColumnError(`The objective reads a column "${name}", which the credit does not provide.`);
    return value;
  };

/** An objective requests a column that no reader and no credit provides. */
class UnknownColumnError extends Error {
  override name = 'UnknownColumnError';
}

export const optimizerSettings = (schedule: OptimizerSchedule, learningRate: number): OptimizerSettings => ({
  learningRate,
  beta1: schedule.beta1,
  beta2: schedule.beta2,
  epsilon: schedule.epsilon,
  weightDecay: schedule.weightDecay,
  maxGradNorm: schedule.maxGradNorm ?? Number.POSITIVE_INFINITY,
});

/** The algorithm's own objective, or the code that replaces it. */
function objectiveOf(algorithm: Algorithm, settings: UpdateSettings['algorithm'], runner: CodeRunner | undefined) {
  const own = algorithm.objective(settings);
  const { objectiveCode: code, ...others } = settings;
  if (code === undefined) return own;
  if (!runner) throw new NoSandboxError();
  return { ...own, spec: codeObjective(runner, { code, settings: others }, own.spec), scalars: [] };
}

/** An update whose numbers are not finite. The weights it left must not be kept. */
export class NotFiniteUpdateError extends Error {
  override name = 'NotFiniteUpdateError';
  constructor(what: string, value: number) {
    super(
      `The update was not kept: its ${what} is ${value}. The run stays at its last committed step and can repeat the step. ` +
        'Fork it there with a lower optimizer.learningRate, or with optimizer.maxGradNorm; check the objective if it is your own.',
    );
  }
}

/** Throws NotFiniteUpdateError if the gradient norm, a loss, a log-probability or an entropy is not finite. */
function requireFinite({ gradNorm, outputs }: UpdateResult): void {
  if (!Number.isFinite(gradNorm)) throw new NotFiniteUpdateError('gradient norm', gradNorm);
  for (const { loss, logprob, entropy } of outputs)
    for (const [what, values] of [
      ['loss', loss],
      ['log-probability', logprob],
      ['entropy', entropy],
    ] as const) {
      const wrong = values.find((value) => !Number.isFinite(value));
      if (wrong !== undefined) throw new NotFiniteUpdateError(what, wrong);
    }
}

export class Updater {
  private readonly algorithm: Algorithm;
  private readonly needs: Needs;
  readonly objective: Omit<ObjectiveCall, 'spec'> & { spec: ObjectiveSpec | RemoteObjective };
  private readonly critic: CriticSettings | undefined;

  constructor(
    private readonly policy: Pick<Learner, 'capacity' | 'score' | 'gradient' | 'update'>,
    private readonly settings: UpdateSettings,
    /** Runs objectives given as code; absent: these are refused. */
    runner?: CodeRunner,
    /** In place of the algorithm's own objective. */
    objective?: Updater['objective'],
  ) {
    this.algorithm = algorithmOf(settings.algorithm);
    this.needs = this.algorithm.needs(settings.algorithm);
    this.objective = objective ?? objectiveOf(this.algorithm, settings.algorithm, runner);
    this.critic = this.algorithm.critic?.(settings.algorithm);
  }

  /** Runs all updates of a step and returns their metrics. `report` counts their micro-batches. */
  async update(training: UpdatedSet, learningRate: number, report: Report = () => {}): Promise<Values> {
    const { innerEpochs } = this.settings.algorithm;
    const filled = await this.minibatches(training, report);
    const total = innerEpochs * filled.reduce((sum, { batches }) => sum + batches.length, 0);
    const tally = new Tally(this.needs.reference ?? false, innerEpochs);
    let done = 0;
    report('updates', 0, total);
    for (let epoch = 0; epoch < innerEpochs; epoch++) {
      for (const minibatch of filled) {
        const before = done;
        const onBatch = (count: number) => report('updates', before + count, total);
        const result = await this.apply(minibatch, learningRate, onBatch);
        requireFinite(result);
        tally.add(minibatch, result);
        done += minibatch.batches.length;
      }
    }
    return tally.metrics();
  }

  /**
   * Signal of the step's gradient, measured on equal parts of its groups before any update: one more forward and
   * backward of them. Nothing for objectives that read values or couple all rows, and with too few groups.
   */
  async signal(training: UpdatedSet): Promise<Values> {
    if (!this.policy.gradient || this.needs.values || this.needs.batch) return {};
    const groups = [...groupBy(training.trajectories, ({ group }) => group).values()];
    const count = Math.min(MOST_SIGNAL_PARTS, groups.length);
    if (count < LEAST_SIGNAL_PARTS) return {};
    const size = Math.floor(groups.length / count);
    const gradients: Float32Array[] = [];
    for (let part = 0; part < count; part++) {
      const members = groups.slice(part * size, (part + 1) * size).flat();
      gradients.push((await this.gradientOf(await this.prepare(members, training, () => {})))!);
    }
    return signalMetrics(momentsOf(productsOf(gradients), size));
  }

  /** Minibatches, updated one after the other. Those without a trained token are left out. */
  async minibatches(training: UpdatedSet, report: Report = () => {}): Promise<Minibatch[]> {
    const minibatches: Minibatch[] = [];
    let scored = 0;
    const onScored = () => report('scores', ++scored, null);
    for (const part of splitGroups(training.trajectories, this.settings.algorithm.minibatches))
      minibatches.push(await this.prepare(part, training, onScored));
    return minibatches.filter(({ batches }) => batches.length > 0);
  }

  /** Gradient of the loss over whole batches, without a step; null: the policy cannot measure it. */
  async gradientOf({ batches, trajectories }: Minibatch): Promise<Float32Array | null> {
    if (!this.policy.gradient) return null;
    const request = { batches: batches.map(requestOf), ...this.lossOf(trajectories) };
    return this.policy.gradient(request, { temperature: this.settings.sampling.temperature });
  }

  private async prepare(
    trajectories: readonly Trajectory[],
    { extras, uncounted }: UpdatedSet,
    onScored: () => void,
  ): Promise<Minibatch> {
    const counts = trajectories.map((trajectory) => chosenPositions(trajectory).length);
    const counted = uncounted ? counts.filter((_, b) => !uncounted.has(trajectories[b])) : counts;
    const coefficients = sequenceCoefficients(counts, {
      ...this.algorithm.aggregation(this.settings.algorithm),
      ...(uncounted && { batchTokens: sum(counted), batchSequences: counted.filter((count) => count > 0).length }),
      // Without a scale factor, the longest sequence is measured in counted tokens, like everything else.
      longest: Math.max(1, ...counted),
    });
    const batches: PreparedBatch[] = [];
    for (const micro of pack(trajectories, this.policy.capacity)) {
      const reference = await this.referenceLogprobs(micro);
      if (reference) onScored();
      const source = { micro, trajectories, extras, coefficients, reference };
      batches.push({
        micro,
        old: column(source, oldLogprob),
        columns: this.objective.spec.columns.map((name) => column(source, readerOf(name))),
        ids: idsOf(source),
        ...(this.objective.divergence && { teacher: teacherRows(source, this.objective.divergence.weight) }),
      });
    }
    return { batches, trajectories };
  }

  private async referenceLogprobs(micro: MicroBatch): Promise<Float32Array | null> {
    if (!this.needs.reference) return null;
    const { temperature } = this.settings.sampling;
    return (await this.policy.score(micro.batch, { temperature, weights: 'reference' })).logprob;
  }

  /**
   * The objective. If an episode has several windows, its rows may lie in several micro-batches: an objective that is not
   * given for single rows then sums over all rows of the update.
   */
  private objectiveFor(trajectories: readonly Trajectory[]): ObjectiveSpec | RemoteObjective {
    const { spec } = this.objective;
    const isWindowed = trajectories.some(({ windows }) => windows);
    return isWindowed && spec.wgsl === undefined ? { ...spec, batch: true } : spec;
  }

  /** The loss as an update's request names it. */
  private lossOf(trajectories: readonly Trajectory[]) {
    const { scalars, divergence } = this.objective;
    const own = { objective: this.objectiveFor(trajectories), scalars };
    return divergence ? { ...own, divergence: divergence.beta } : own;
  }

  private apply(
    { batches, trajectories }: Minibatch,
    learningRate: number,
    onBatch: (done: number) => void,
  ): Promise<UpdateResult> {
    return this.policy.update(
      {
        batches: batches.map(requestOf),
        ...this.lossOf(trajectories),
        optimizer: optimizerSettings(this.settings.optimizer, learningRate),
        critic: this.critic,
      },
      { temperature: this.settings.sampling.temperature, onBatch },
    );
  }
}

/** Whole groups in order, divided as evenly as possible. Parts without a group are left out. */
export function splitGroups(trajectories: readonly Trajectory[], parts: number): Trajectory[][] {
  const all = [...groupBy(trajectories, ({ group }) => group).values()];
  return Array.from({ length: parts }, (_, part) =>
    all.slice(Math.floor((part * all.length) / parts), Math.floor(((part + 1) * all.length) / parts)).flat(),
  ).filter((part) => part.length > 0);
}

const requestOf = ({ micro, columns, ids, teacher }: PreparedBatch) => ({
  batch: micro.batch,
  columns,
  ids,
  ...(teacher && { teacher }),
});

const readerOf = (name: string): ColumnReader => columnReaders[name] ?? extraReader(name);

// Plain loops here and below: `TypedArray.from` with a function takes ten times as long.
function column(source: ColumnSource, read: ColumnReader): Float32Array {
  const out = new Float32Array(source.micro.trajectory.length);
  for (let row = 0; row < out.length; row++) out[row] = read(source, row);
  return out;
}

/** The rows' distributions under the teacher; `weight`: that of the divergence in the loss of a token. */
function teacherRows(source: ColumnSource, weight: number): TeacherRows {
  const { micro } = source;
  const none = new Float32Array(0);
  const rows = Array.from(micro.choice, (k, row) => {
    const { distributions } = trajectoryAt(source, row);
    return distributions?.logprobs.subarray(distributions.offsets[k], distributions.offsets[k + 1]) ?? none;
  });
  const weights = column(source, columnReaders.coefficient).map((coefficient) => weight * coefficient);
  return { ...distributionRows(rows), weights };
}

function idsOf({ micro: { trajectory, position }, trajectories, extras }: ColumnSource): RowIds {
  const ids = (read: (trajectory: Trajectory, row: number) => number) => {
    const out = new Int32Array(trajectory.length);
    for (let row = 0; row < out.length; row++) out[row] = read(trajectories[trajectory[row]], row);
    return out;
  };
  return {
    sequence: trajectory,
    turn: ids(({ turnOf }, row) => turnOf[position[row]]),
    group: ids(({ group }) => group),
    pair: ids((each) => extras.get(each)?.marks.pair ?? -1),
  };
}

/** Sums over updates. */
class Tally {
  updates = 0;
  private readonly losses: number[] = [];
  private readonly norms: number[] = [];
  /** Metrics that the objective computed. */
  private readonly own: Values[] = [];
  private readonly sums: Values = { entropy: 0, kl: 0, policyLoss: 0, policyShift: 0, low: 0, high: 0, dual: 0 };
  private count = 0;
  /** Sum of the divergences from a teacher, and the number of rows that have one. */
  private readonly taught = { divergence: 0, rows: 0 };
  private readonly gap = new Gap();

  constructor(
    private readonly hasReference: boolean,
    private readonly passes: number,
  ) {}

  add({ batches }: Minibatch, { outputs, gradNorm, metrics }: UpdateResult): void {
    if (metrics) this.own.push(metrics);
    let loss = 0;
    outputs.forEach((output, b) => {
      const { old, ids, teacher } = batches[b];
      if (teacher && output.divergence) this.addDivergence(teacher, output.divergence);
      if (this.updates === 0) this.gap.add(output.logprob, old, ids.turn);
      for (const value of output.loss) loss += value;
      this.addRows(output, old);
    });
    this.losses.push(loss);
    this.norms.push(gradNorm);
    this.updates += 1;
  }

  private addDivergence({ offsets }: TeacherRows, divergence: Float32Array): void {
    for (let row = 0; row < divergence.length; row++) {
      if (offsets[row + 1] === offsets[row]) continue;
      this.taught.divergence += divergence[row];
      this.taught.rows += 1;
    }
  }

  private addRows({ logprob, entropy, aux }: UpdateResult['outputs'][number], old: Float32Array): void {
    const { policyLoss, kl, flags } = aux;
    for (let row = 0; row < logprob.length; row++) {
      this.sums.entropy += entropy[row];
      this.sums.kl += kl?.[row] ?? 0;
      this.sums.policyLoss += policyLoss?.[row] ?? 0;
      this.sums.policyShift += old[row] - logprob[row];
      const flag = flags?.[row] ?? 0;
      this.sums.low += flag & Flag.clippedLow ? 1 : 0;
      this.sums.high += flag & Flag.clippedHigh ? 1 : 0;
      this.sums.dual += flag & Flag.dualClipped ? 1 : 0;
    }
    this.count += logprob.length;
  }

  metrics(): Values {
    const average = (name: string) => this.sums[name] / Math.max(this.count, 1);
    return {
      updates: this.updates,
      chosenTokens: this.count / this.passes,
      loss: mean(this.losses),
      policyLoss: average('policyLoss'),
      gradNorm: mean(this.norms),
      entropy: average('entropy'),
      ...(this.hasReference ? { kl: average('kl') } : {}),
      ...(this.taught.rows > 0 ? { teacherDivergence: this.taught.divergence / this.taught.rows } : {}),
      policyShift: average('policyShift'),
      clipLowFraction: average('low'),
      clipHighFraction: average('high'),
      dualClipFraction: average('dual'),
      ...this.gap.metrics(),
      ...means(this.own),
    };
  }
}

function means(lists: readonly Values[]): Values {
  const names = [...new Set(lists.flatMap((each) => Object.keys(each)))];
  return Object.fromEntries(names.map((name) => [name, mean(lists.flatMap((each) => each[name] ?? []))]));
}
