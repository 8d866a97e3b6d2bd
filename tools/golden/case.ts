/**
 * Shared parts of the checks of a recorded model, whether all its weights are trained or an adapter: files of the
 * folder, gates, comparisons, greedy continuations.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelConfig } from '../../src/policy/config.ts';
import { type Checkpoint, loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import type { Adapter } from '../../src/policy/formats/peft.ts';
import { readSafetensors, type Tensor } from '../../src/policy/formats/safetensors.ts';
import type {
  Capacity,
  Learner,
  ObjectiveSpec,
  OptimizerSettings,
  PackedBatch,
  TensorMap,
} from '../../src/policy/policy.ts';
import { begin, wholeTurns } from '../turns.ts';
import type { Inspection } from './inspected-model.ts';
import { type GoldenReport, largestMagnitude, maxError } from './report.ts';

/** The engine with the internals that only tests read. */
export type InspectablePolicy = Learner & Inspection;

export type OpenPolicy = (
  config: ModelConfig,
  tensors: TensorMap,
  capacity: Capacity,
  adapter?: Adapter,
) => Promise<InspectablePolicy>;

/**
 * Largest allowed errors. Absolute, except `gradients` (relative to the tensor's largest magnitude) and `loss` and
 * `norm` (relative).
 */
export const gates = {
  logits: 1e-4,
  logp: 1e-4,
  entropy: 5e-5,
  gradients: 5e-5,
  loss: 1e-4,
  norm: 1e-4,
  inverseFrequency: 1e-6,
  /** Adam divides by sqrt(v), so an element with a gradient near 0 may move by a whole step either way. */
  adamw: { close: 3e-5, closeFraction: 0.9999, worst: 3e-3 },
};

/** A loss linear in the log-probabilities: sum of w * logprob * scale. */
export const weightedLogprob: ObjectiveSpec = {
  name: 'weighted-logprob',
  wgsl: `fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let weight = column(0u, i) * scalar(0u);
  return Objective(weight * logprob, weight, 0.0, vec4f(0.0));
}`,
  columns: ['w'],
  scalars: ['scale'],
  evaluate: ({ logprob, columns: { w }, scalars: { scale } }) => ({
    loss: Float64Array.from(w, (value, i) => value * scale * logprob[i]),
    weight: Float64Array.from(w, (value) => value * scale),
    entropyWeight: new Float64Array(w.length),
    aux: {},
  }),
};

export type Tensors = Map<string, Tensor>;
export const numbers = (tensors: Tensors, name: string) => tensors.get(name)!.data as unknown as ArrayLike<number>;
export const pick = (values: ArrayLike<number>, at: Int32Array) => Float64Array.from(at, (i) => values[i]);

export interface Inputs {
  ids: Int32Array;
  /** Start of each sequence, and the end of the last. */
  offsets: number[];
  batch: PackedBatch;
  tensors: Tensors;
}

/** Packs all sequences on one axis. Every token except the first of a sequence is scored. */
export function packInputs(tensors: Tensors): Inputs {
  const ids = Int32Array.from(numbers(tensors, 'input_ids'));
  const offsets = tensors.has('cu_seqlens') ? Array.from(numbers(tensors, 'cu_seqlens')) : [0, ids.length];
  return { ids, offsets, tensors, batch: packSequences(ids, offsets) };
}

export function packSequences(tokens: Int32Array, offsets: readonly number[]): PackedBatch {
  const segments = offsets.slice(1).map((end, i) => ({ start: offsets[i], end, parent: -1 }));
  const firsts = new Set(offsets);
  const scored = Int32Array.from([...tokens.keys()].filter((t) => !firsts.has(t)));
  return { tokens, segments, scored, allowed: null };
}

/** One recorded folder: reads its files and compares numbers. */
export abstract class GoldenCase {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a recorded case.
  readonly manifest: any;

  constructor(
    protected readonly folder: string,
    protected readonly name: string,
    protected readonly open: OpenPolicy,
    protected readonly report: GoldenReport,
  ) {
    this.manifest = this.has('manifest.json') ? JSON.parse(this.text('manifest.json')) : {};
  }

  protected has = (file: string) => existsSync(join(this.folder, file));
  protected text = (file: string) => readFileSync(join(this.folder, file), 'utf8');
  protected tensors = (file: string): Tensors => readSafetensors(readFileSync(join(this.folder, file)));
  protected load = (config: string, model: string): Checkpoint =>
    loadCheckpoint({ config: this.text(config), model: readFileSync(join(this.folder, model)) });

  protected compare(
    kind: string,
    quantity: string,
    actual: ArrayLike<number>,
    expected: ArrayLike<number>,
    gate: number,
  ) {
    const error = maxError(actual, expected);
    this.report.check(kind, this.name, quantity, error <= gate, error, gate);
  }

  protected same(kind: string, quantity: string, actual: ArrayLike<number>, expected: ArrayLike<number>) {
    this.compare(kind, quantity, actual, expected, 0);
  }

  protected relative(kind: string, quantity: string, actual: number, expected: number, gate: number) {
    const error = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
    this.report.check(kind, this.name, quantity, error <= gate, error, gate);
  }

  /** Compares relative to the tensor's largest magnitude. */
  protected compareScaled(
    kind: string,
    quantity: string,
    got: ArrayLike<number> | undefined,
    expected: ArrayLike<number>,
    gate = gates.gradients,
  ) {
    if (!got) return this.report.fail(kind, this.name, `${quantity} is missing`);
    const scale = largestMagnitude(expected);
    const error = maxError(got, expected);
    const relative = scale > 0 ? error / scale : error;
    this.report.check(kind, this.name, quantity, relative <= gate, relative, gate);
  }

  /**
   * Checks logits, log-probability and entropy of every scored token. Logits may be recorded for some positions only.
   */
  protected async checkScores(kind: string, policy: InspectablePolicy, inputs: Inputs, expected: Tensors) {
    const { batch } = inputs;
    if (expected.has('logits')) {
      const [rows, vocabulary] = expected.get('logits')!.shape;
      const positions = expected.has('logit_positions')
        ? Array.from(numbers(expected, 'logit_positions'))
        : Array.from({ length: rows }, (_, t) => t);
      const logits = await policy.logits(batch);
      const got = positions.flatMap((t) => [...logits.subarray(t * vocabulary, (t + 1) * vocabulary)]);
      this.compare(kind, 'logits', got, numbers(expected, 'logits'), gates.logits);
    }
    const scores = await policy.score(batch, { temperature: 1, weights: 'policy' });
    const scored = (name: string) => pick(numbers(expected, name), batch.scored);
    if (expected.has('logp')) this.compare(kind, 'logp', scores.logprob, scored('logp'), gates.logp);
    if (expected.has('entropy')) this.compare(kind, 'entropy', scores.entropy, scored('entropy'), gates.entropy);
  }

  /**
   * Checks gradients. Names with the prefix `entropy.` belong to the entropy objective, the others to the weighted
   * log-probability.
   */
  protected async checkGradients(kind: string, policy: InspectablePolicy, inputs: Inputs, file: string) {
    const { batch, tensors } = inputs;
    const expected = this.tensors(file);
    const isEntropy = (name: string) => name.startsWith('entropy.');
    const zero = new Float32Array(batch.scored.length);
    for (const [prefix, column] of [
      ['', 'w'],
      ['entropy.', 'c_ent'],
    ]) {
      const names = [...expected.keys()].filter((name) => isEntropy(name) === (prefix !== ''));
      if (!names.length) continue;
      const weight = Float32Array.from(pick(numbers(tensors, column), batch.scored));
      const got = await policy.gradients(batch, prefix ? zero : weight, prefix ? weight : zero, { temperature: 1 });
      for (const name of names)
        this.compareScaled(kind, `gradient ${name}`, got.get(name.slice(prefix.length))?.data, numbers(expected, name));
      if (names.length !== got.size)
        this.report.fail(kind, this.name, `${got.size} gradients were computed, but ${names.length} are recorded`);
    }
  }

  /** Checks AdamW on the weighted log-probability, with the settings of the manifest's `adamw`. */
  protected async checkAdamW(kind: string, policy: InspectablePolicy, inputs: Inputs, which: 'full' | 'lora') {
    const file = `adamw_${which}.safetensors`;
    const { adamw } = this.manifest;
    if (!adamw) return this.report.fail(kind, this.name, `${file} has no settings in manifest.json`);
    const { batch, tensors } = inputs;
    const w = Float32Array.from(pick(numbers(tensors, 'w'), batch.scored));
    const masked = Array.from(numbers(tensors, 'loss_mask')).reduce((a, b) => a + b, 0);
    const scale = -(adamw[`${which}_loss_scale`] ?? 1) / masked;
    for (let step = 0; step < adamw.steps; step++) {
      const { outputs, gradNorm } = await policy.update(
        {
          batches: [{ batch, columns: [w] }],
          objective: weightedLogprob,
          scalars: [scale],
          optimizer: optimizerOf(adamw),
        },
        { temperature: 1 },
      );
      const expected = adamw[`${which}_steps`][step];
      const loss = outputs[0].loss.reduce((a, b) => a + b, 0);
      this.relative(kind, `loss of step ${step + 1}`, loss, expected.loss, gates.loss);
      this.relative(kind, `gradient norm of step ${step + 1}`, gradNorm, expected.grad_norm_before_clip, gates.norm);
    }
    const after = adamw[`${which}_loss_after`];
    if (after !== undefined) {
      const { logprob } = await policy.score(batch, { temperature: 1, weights: 'policy' });
      const got = logprob.reduce((sum, value, i) => sum + value * w[i] * scale, 0);
      this.relative(kind, 'loss after the last step', got, after, gates.loss);
    }
    await this.checkState(kind, 'after AdamW', (await policy.save()).tensors, this.tensors(file));
  }

  /** Checks parameters within AdamW's gates, and moments relative to their tensor's largest value. */
  protected checkState(kind: string, when: string, state: TensorMap, expected: Tensors, strip = '') {
    let total = 0;
    let far = 0;
    let worst = 0;
    for (const [name, tensor] of expected) {
      const values = tensor.data as unknown as ArrayLike<number>;
      const got = state.get(name.slice(strip.length))?.data;
      if (!got) return this.report.fail(kind, this.name, `the saved state has no ${name}`);
      if (name.startsWith('exp_avg')) {
        // The second moment is a square, so its relative error is twice the gradient's.
        const gate = gates.gradients * (name.startsWith('exp_avg_sq') ? 2 : 1);
        this.compareScaled(kind, `${name} ${when}`, got, values, gate);
        continue;
      }
      worst = Math.max(worst, maxError(got, values));
      total += values.length;
      for (let i = 0; i < values.length; i++) if (!(Math.abs(got[i] - values[i]) <= gates.adamw.close)) far++;
    }
    const { close, closeFraction, worst: limit } = gates.adamw;
    this.report.check(kind, this.name, `parameters ${when}`, worst <= limit, worst, limit);
    const share = far / total;
    const most = 1 - closeFraction;
    this.report.check(kind, this.name, `share off by more than ${close} ${when}`, share <= most, share, most);
  }

  protected promptOf({ ids, offsets, tensors }: Inputs, sequence: number): Int32Array {
    const start = offsets[sequence];
    return ids.subarray(start, start + numbers(tensors, 'prompt_lens')[sequence]);
  }

  /** Capacity for two trajectories per sequence; empty if `file` is missing. */
  protected generationCapacity(inputs: Inputs, file: string): Partial<Capacity> {
    if (!this.has(file)) return {};
    const sequences = inputs.offsets.length - 1;
    const tokens = this.tensors(file).get('tokens')!.shape[1];
    const longest = Math.max(...Array.from({ length: sequences }, (_, i) => this.promptOf(inputs, i).length));
    return { rows: 2 * sequences, groups: sequences, promptTokens: longest, completionTokens: longest + tokens };
  }

  /**
   * Checks greedy continuations in a batch: once with the whole prompt in the cache, once with its second half appended
   * in two trajectories that share the first half.
   */
  protected async checkGeneration(kind: string, policy: InspectablePolicy, inputs: Inputs, file: string) {
    const expected = this.tensors(file);
    const [sequences, count] = expected.get('tokens')!.shape;
    const prompts = Array.from({ length: sequences }, (_, i) => this.promptOf(inputs, i));
    const whole = prompts.map((prompt) => ({ prompt, append: prompt.subarray(prompt.length) }));
    const halves = prompts.map((prompt) => ({
      prompt: prompt.subarray(0, prompt.length >> 1),
      append: prompt.subarray(prompt.length >> 1),
    }));
    await this.generateBoth(kind, policy, whole, count, expected, 'greedy');
    if (prompts.every((prompt) => prompt.length > 1))
      await this.generateBoth(kind, policy, halves, count, expected, 'greedy after an appended half prompt');
  }

  private async generateBoth(
    kind: string,
    policy: InspectablePolicy,
    starts: readonly { prompt: Int32Array; append: Int32Array }[],
    maxTokens: number,
    expected: Tensors,
    quantity: string,
  ) {
    const slotsOf = (i: number) => [2 * i, 2 * i + 1];
    await begin(
      policy,
      starts.map(({ prompt }, i) => ({ prompt, slots: slotsOf(i), rowKeys: slotsOf(i) })),
    );
    const rows = starts.flatMap(({ append }, i) => slotsOf(i).map((slot) => ({ slot, append, constraint: null })));
    const turns = await wholeTurns(policy, rows, { temperature: 0, seed: 1, stream: 0, maxTokens, stopTokens: [] });
    const twice = (name: string) =>
      starts.flatMap((_, i) => {
        const row = Array.from(numbers(expected, name)).slice(i * maxTokens, (i + 1) * maxTokens);
        return [...row, ...row];
      });
    const all = (of: (turn: (typeof turns)[number]) => ArrayLike<number>) =>
      turns.flatMap((turn) => Array.from(of(turn)));
    this.same(
      kind,
      `${quantity}: tokens`,
      all((turn) => turn.tokens),
      twice('tokens'),
    );
    this.compare(
      kind,
      `${quantity}: logp`,
      all((turn) => turn.logprobs),
      twice('logp'),
      gates.logp,
    );
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a recorded case.
function optimizerOf(adamw: any): OptimizerSettings {
  return {
    learningRate: adamw.lr,
    beta1: adamw.betas[0],
    beta2: adamw.betas[1],
    epsilon: adamw.eps,
    weightDecay: adamw.weight_decay,
    maxGradNorm: adamw.max_grad_norm ?? Number.POSITIVE_INFINITY,
  };
}
