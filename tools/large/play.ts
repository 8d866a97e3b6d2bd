/**
 * Tests a language model of real width on a machine without a real GPU: a random model is written, streamed into packed
 * weights, plays, and takes one GRPO step of an adapter, within the planned memory and in bindings of a given size.
 * Prints each part; a failed check throws.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeviceOptions, openDevice } from '../../src/cli/node-device.ts';
import { makeModel, type ShapeOverrides } from '../../src/cli/random-model.ts';
import type { Device } from '../../src/device/device.ts';
import { prepareModel } from '../../src/models/loader.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { Capacity, GenerateRow } from '../../src/policy/policy.ts';
import { initAdapter, type LoraConfig, projections } from '../../src/policy/weights/adapter.ts';
import type { PackedPrecision } from '../../src/policy/weights/packed-layout.ts';
import { algorithmOf } from '../../src/rl/algorithms/registry.ts';
import { assignCredit } from '../../src/rl/assign-credit.ts';
import { TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Updater } from '../../src/rl/updater.ts';
import { FolderSource, nodeFiles } from '../../src/store/weights-folder.ts';
import { begin, wholeTurns } from '../turns.ts';

export interface LargeOptions extends DeviceOptions {
  /** A listed model, and the sizes that override it. */
  model: string;
  overrides: ShapeOverrides;
  precision: PackedPrecision;
  rank: number;
  groups: number;
  groupSize: number;
  promptTokens: number;
  turns: number;
  turnTokens: number;
  print(line: string): void;
}

/** Tokens of the world between two turns. */
const observationTokens = 5;

class LargeError extends Error {
  override name = 'LargeError';
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new LargeError(what);
}

/** Longest trajectory after its prompt: turns, and the world's tokens between them. */
const completionTokens = (o: LargeOptions) => o.turns * (o.turnTokens + observationTokens);

function capacityOf(o: LargeOptions): Capacity {
  const rows = o.groups * o.groupSize;
  const own = completionTokens(o);
  return {
    rows,
    groups: o.groups,
    promptTokens: o.promptTokens,
    completionTokens: own,
    batchTokens: o.groups * o.promptTokens + rows * own,
    batchScored: rows * o.turns * o.turnTokens,
  };
}

const algorithm: TrainerSettings['algorithm'] = {
  name: 'grpo',
  groups: 1,
  groupSize: 1,
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: null,
  ratio: 'token',
  surrogate: 'clip',
  correction: { weights: 'none', outside: 'truncate', low: null, high: 2, normalize: false },
  kl: { estimator: 'k3', coefficient: 0.01 },
  entropy: 0,
  aggregation: 'token-mean',
  lossScaleFactor: null,
  advantageEpsilon: 1e-6,
  minibatches: 1,
  innerEpochs: 1,
  endings: { context: null, invalidAction: { policy: 'continue', penalty: 0 }, worldFailure: 'drop' },
};
const settings = (): Pick<TrainerSettings, 'algorithm' | 'optimizer' | 'sampling'> => ({
  algorithm,
  sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 1 },
  optimizer: {
    learningRate: 1e-4,
    warmupSteps: 0,
    finalFraction: 1,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  },
});

/** One trajectory while it is played. */
class Episode {
  private readonly tokens: number[];
  private readonly source: number[];
  private readonly logprob: number[];
  private readonly turnOf: number[];
  private readonly turns: Trajectory['turns'] = [];

  constructor(
    readonly group: number,
    readonly member: number,
    readonly slot: number,
    readonly prompt: Int32Array,
  ) {
    this.tokens = [...prompt];
    this.source = this.tokens.map(() => TokenSource.world);
    this.logprob = this.tokens.map(() => 0);
    this.turnOf = this.tokens.map(() => -1);
  }

  add(tokens: ArrayLike<number>, source: number, turn: number, logprobs?: ArrayLike<number>): void {
    for (let i = 0; i < tokens.length; i++) {
      this.tokens.push(tokens[i]);
      this.source.push(source);
      this.turnOf.push(turn);
      this.logprob.push(logprobs?.[i] ?? 0);
    }
  }

  played(start: number): void {
    const end = this.tokens.length;
    this.turns.push({
      action: '',
      observation: '',
      reward: 0,
      valid: true,
      actionStart: start,
      actionEnd: end,
      observationStart: end,
      observationEnd: end,
    });
  }

  get length(): number {
    return this.tokens.length;
  }

  /** Ends the trajectory with a made-up reward: the share of even tokens among the policy's. */
  finish(horizon: number): Trajectory {
    const own = this.tokens.filter((_, i) => this.source[i] === TokenSource.policy);
    return {
      task: { id: `group-${this.group}` } as unknown as Trajectory['task'],
      group: this.group,
      member: this.member,
      prompt: '',
      promptLength: this.prompt.length,
      tokens: Int32Array.from(this.tokens),
      source: Uint8Array.from(this.source),
      turnOf: Int16Array.from(this.turnOf),
      logprob: Float32Array.from(this.logprob),
      choices: null,
      turns: this.turns,
      score: own.filter((token) => token % 2 === 0).length / own.length,
      success: false,
      ending: 'horizon',
      horizon,
      oracleTurns: null,
      advantage: 0,
      advantages: new Float32Array(0),
    };
  }
}

/** Token ids from all parts of the vocabulary. */
const someTokens = (count: number, seed: number, vocabSize: number) =>
  Int32Array.from(
    { length: count },
    (_, i) => (Math.imul(i + 1, 40_503) + Math.imul(seed + 1, 2_654_435_761)) >>> 0,
  ).map((x) => Math.abs(x) % vocabSize);

async function play(model: Model, o: LargeOptions): Promise<Trajectory[]> {
  const episodes: Episode[] = [];
  const groups = Array.from({ length: o.groups }, (_, group) => {
    const prompt = someTokens(Math.max(4, o.promptTokens - 31 * group), group, model.vocabSize);
    const slots = Array.from({ length: o.groupSize }, (__, member) => group * o.groupSize + member);
    for (const [member, slot] of slots.entries()) episodes.push(new Episode(group, member, slot, prompt));
    return { prompt, slots, rowKeys: slots };
  });
  await begin(model, groups);
  for (let turn = 0; turn < o.turns; turn++) {
    const rows = episodes.map((episode): GenerateRow => {
      const append =
        turn === 0 ? new Int32Array(0) : someTokens(observationTokens, 100 * turn + episode.slot, model.vocabSize);
      episode.add(append, TokenSource.world, turn);
      return { slot: episode.slot, append, constraint: null };
    });
    const turns = await wholeTurns(model, rows, {
      temperature: 1,
      seed: 1,
      stream: turn,
      maxTokens: o.turnTokens,
      stopTokens: [],
    });
    turns.forEach(({ tokens, logprobs }, i) => {
      const start = episodes[i].length;
      check(tokens.length === o.turnTokens, `Row ${i} sampled ${tokens.length} tokens instead of ${o.turnTokens}.`);
      episodes[i].add(tokens, TokenSource.policy, turn, logprobs);
      episodes[i].played(start);
    });
  }
  return episodes.map((episode) => episode.finish(o.turns));
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Times a part and prints its duration. */
async function part<T>(o: LargeOptions, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  o.print(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** Writes the random model, loads it, plays and trains. Throws LargeError if a check fails. */
export async function playLarge(o: LargeOptions): Promise<{ bytes: number; gap: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'tabgym-large-'));
  const device = await openDevice(o);
  try {
    await part(o, `random ${o.model} written`, () =>
      makeModel(findModel(o.model), { out: folder, seed: 1, dtype: 'bf16', overrides: o.overrides }),
    );
    return await trainOnce(device, folder, o);
  } finally {
    device.destroy();
    await rm(folder, { recursive: true });
  }
}

async function trainOnce(device: Device, folder: string, o: LargeOptions): Promise<{ bytes: number; gap: number }> {
  const { signal } = new AbortController();
  const source = await FolderSource.open('random', await nodeFiles(folder));
  const prepared = await prepareModel(source, { precision: o.precision, cache: null, signal });
  const { config } = prepared;
  const lora: LoraConfig = { rank: o.rank, alpha: 2 * o.rank, targets: projections };
  const model = await part(o, `loaded in ${o.precision}`, () =>
    Model.create(device, config, {
      capacity: capacityOf(o),
      weights: prepared.pieces({ signal }),
      precision: o.precision,
      adapter: { lora, tensors: initAdapter(config, lora, 1) },
      trainable: true,
      reference: false,
    }),
  );
  try {
    const [planned, allocated, created] = [totalBytes(model.plan), device.bytesAllocated, device.buffersCreated];
    o.print(`planned ${planned} bytes (${megabytes(planned)}), allocated ${allocated}`);
    check(allocated === planned, `The engine allocated ${allocated} bytes, but ${planned} were planned.`);
    const trajectories = await part(o, `played ${o.groups * o.groupSize} trajectories`, () => play(model, o));
    const training = assignCredit(trajectories, algorithmOf(algorithm), algorithm);
    const before = (await model.save()).tensors;
    const metrics = await part(o, 'one GRPO step', () => new Updater(model, settings()).update(training, 1e-4));
    const after = (await model.save()).tensors;
    const moved = [...before].some(([name, { data }]) => data.some((x, i) => x !== after.get(name)!.data[i]));
    check(moved, 'The step did not change the adapter.');
    check(metrics.gradNorm > 0 && Number.isFinite(metrics.gradNorm), `The gradient's norm is ${metrics.gradNorm}.`);
    check(device.buffersCreated === created, `${device.buffersCreated - created} buffers were created after loading.`);
    check(
      device.bytesAllocated === planned,
      `The engine has ${device.bytesAllocated} bytes allocated after the step, but ${planned} were planned.`,
    );
    check(
      metrics.logprobGapMax < 1e-3,
      `Log-probabilities in training differ from the sampled ones by ${metrics.logprobGapMax}, more than 1e-3.`,
    );
    o.print(
      `gradient norm ${metrics.gradNorm.toExponential(3)}, entropy ${metrics.entropy.toFixed(2)} nats, ` +
        `largest log-probability gap ${metrics.logprobGapMax.toExponential(2)}`,
    );
    device.check();
    return { bytes: planned, gap: metrics.logprobGapMax };
  } finally {
    model.destroy();
  }
}
