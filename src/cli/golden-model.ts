/**
 * Checks the engine against recorded models: a folder with `config.json` and `model.safetensors`, and beside them the
 * numbers of the original implementation. What is compared follows from the files that are there and from what their
 * JSON says, never from a folder's name, so that other cases of the layout run unchanged.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from '../policy/checkpoint.ts';
import { type ModelConfig, ropeInverseFrequencies } from '../policy/config.ts';
import type { Capacity, ObjectiveSpec, PackedBatch, Policy, TensorMap } from '../policy/policy.ts';
import { readSafetensors, type Tensor } from '../policy/safetensors.ts';
import { type GoldenReport, largestMagnitude, maxError } from './golden-report.ts';

/** The engine, with the insides that only a test looks at. */
export interface InspectablePolicy extends Policy {
  /** (T, V) */
  logits(batch: PackedBatch): Promise<Float32Array>;
  /** (L + 1) arrays (T, h), the last one after the final norm. */
  hiddenStates(batch: PackedBatch): Promise<Float32Array[]>;
  /** Gradient of sum(weight * logprob + entropyWeight * entropy); both (N). */
  gradients(
    batch: PackedBatch,
    weight: Float32Array,
    entropyWeight: Float32Array,
    options: { temperature: number },
  ): Promise<TensorMap>;
}

export type OpenPolicy = (config: ModelConfig, tensors: TensorMap, capacity: Capacity) => Promise<InspectablePolicy>;

/** Absolute, except `gradients` (of the tensor's largest magnitude) and `loss` and `norm` (relative). */
export const gates = {
  logits: 1e-4,
  logp: 1e-4,
  entropy: 5e-5,
  gradients: 5e-5,
  loss: 1e-4,
  norm: 1e-4,
  inverseFrequency: 1e-6,
  /** Adam divides by sqrt(v): an element whose gradient is nearly 0 may go a whole step either way. */
  adamw: { close: 3e-5, closeFraction: 0.9999, worst: 3e-3 },
};

/** A loss that is linear in the log-probabilities: sum of w * logprob * scale. */
export const weightedLogprob: ObjectiveSpec = {
  name: 'weighted-logprob',
  wgsl: `fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let weight = column(0u, i) * scalar(0u);
  return Objective(weight * logprob, weight, 0.0, vec4f(0.0));
}`,
  columns: ['w'],
  scalars: ['scale'],
};

type Tensors = Map<string, Tensor>;
const numbers = (tensors: Tensors, name: string) => tensors.get(name)!.data as unknown as ArrayLike<number>;
const pick = (values: ArrayLike<number>, at: Int32Array) => Float64Array.from(at, (i) => values[i]);

interface Inputs {
  ids: Int32Array;
  /** Where each sequence starts, and the end of the last. */
  offsets: number[];
  batch: PackedBatch;
  tensors: Tensors;
}

/** All sequences on one axis, every token scored that has one before it. */
function packInputs(tensors: Tensors): Inputs {
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

/** Files of a model case that this program knows and does not implement, with the reason. */
const otherFiles: { pattern: RegExp; kind: string; why: string }[] = [
  { pattern: /^lora$|_lora\.safetensors$/, kind: 'lora', why: 'low-rank adapters are not implemented' },
];
const knownFiles = new Set([
  'config.json',
  'config_v5.json',
  'model.safetensors',
  'manifest.json',
  'expected.json',
  'inputs.safetensors',
  'forward.safetensors',
  'grads_full.safetensors',
  'adamw_full.safetensors',
  'generate.safetensors',
  'bf16',
]);

/** One folder: its files, its checks. */
export class ModelCase {
  private checkpoint!: Checkpoint;
  private inputs: Inputs | null = null;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a recorded case.
  private readonly manifest: any;
  private readonly files: string[];

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly open: OpenPolicy,
    private readonly report: GoldenReport,
  ) {
    this.files = readdirSync(folder).sort();
    this.manifest = this.has('manifest.json') ? JSON.parse(this.text('manifest.json')) : {};
  }

  private has = (file: string) => existsSync(join(this.folder, file));
  private text = (file: string) => readFileSync(join(this.folder, file), 'utf8');
  private tensors = (file: string): Tensors => readSafetensors(readFileSync(join(this.folder, file)));
  private load = (config: string, model: string) =>
    loadCheckpoint({ config: this.text(config), model: readFileSync(join(this.folder, model)) });

  private compare(
    kind: string,
    quantity: string,
    actual: ArrayLike<number>,
    expected: ArrayLike<number>,
    gate: number,
  ) {
    const error = maxError(actual, expected);
    this.report.check(kind, this.name, quantity, error <= gate, error, gate);
  }

  private same(kind: string, quantity: string, actual: ArrayLike<number>, expected: ArrayLike<number>) {
    this.compare(kind, quantity, actual, expected, 0);
  }

  async run(): Promise<void> {
    this.checkpoint = this.load('config.json', 'model.safetensors');
    this.skipOthers();
    this.checkSpelling();
    if (this.has('inputs.safetensors')) await this.runInputs();
    if (this.has('expected.json')) await this.checkContinuation(JSON.parse(this.text('expected.json')));
  }

  private skipOthers() {
    for (const file of this.files.filter((name) => !knownFiles.has(name))) {
      const other = otherFiles.find(({ pattern }) => pattern.test(file));
      if (other) this.report.skip(other.kind, `${this.name}/${file}`, other.why);
      else this.report.skip('unknown-file', `${this.name}/${file}`, 'nothing is known of such a file');
    }
  }

  /** The other spelling of config.json must describe the same model. */
  private checkSpelling() {
    if (!this.has('config_v5.json')) return;
    const other = this.load('config_v5.json', 'model.safetensors').config;
    const same = JSON.stringify(other) === JSON.stringify(this.checkpoint.config);
    this.report.check('checkpoint', this.name, 'config_v5.json is the same model', same, same ? 0 : 1);
  }

  private async withPolicy(
    capacity: Partial<Capacity>,
    use: (policy: InspectablePolicy) => Promise<void>,
    tensors = this.checkpoint.tensors,
  ) {
    const least: Capacity = {
      rows: 1,
      groups: 1,
      promptTokens: 1,
      completionTokens: 8,
      batchTokens: this.inputs?.batch.tokens.length ?? 8,
      batchScored: this.inputs?.batch.scored.length ?? 8,
    };
    const policy = await this.open(this.checkpoint.config, tensors, { ...least, ...capacity });
    try {
      await use(policy);
    } finally {
      policy.destroy();
    }
  }

  private async runInputs() {
    this.inputs = packInputs(this.tensors('inputs.safetensors'));
    await this.withPolicy(this.generationCapacity(), async (policy) => {
      if (this.has('forward.safetensors')) await this.checkForward(policy);
      if (this.has('grads_full.safetensors')) await this.checkGradients(policy);
      if (this.has('generate.safetensors')) await this.checkGeneration(policy);
      await this.checkRoundTrip(policy);
      if (this.has('adamw_full.safetensors')) await this.checkAdamW(policy);
    });
    if (this.has('bf16')) await this.checkBf16();
  }

  private async checkForward(policy: InspectablePolicy) {
    const { batch } = this.inputs!;
    const expected = this.tensors('forward.safetensors');
    if (expected.has('inv_freq'))
      this.compare(
        'model',
        'inv_freq',
        ropeInverseFrequencies(this.checkpoint.config),
        numbers(expected, 'inv_freq'),
        gates.inverseFrequency,
      );
    await this.checkLogits(policy, expected, 'logits');
    const scores = await policy.score(batch, { temperature: 1, weights: 'policy' });
    const scored = (name: string) => pick(numbers(expected, name), batch.scored);
    if (expected.has('logp')) this.compare('model', 'logp', scores.logprob, scored('logp'), gates.logp);
    if (expected.has('entropy')) this.compare('model', 'entropy', scores.entropy, scored('entropy'), gates.entropy);
    await this.checkHidden(policy, expected);
  }

  private async checkLogits(policy: InspectablePolicy, expected: Tensors, quantity: string) {
    if (!expected.has('logits')) return;
    this.compare('model', quantity, await policy.logits(this.inputs!.batch), numbers(expected, 'logits'), gates.logits);
  }

  /** Recorded for the first sequence only. */
  private async checkHidden(policy: InspectablePolicy, expected: Tensors) {
    const names = [...expected.keys()].filter((name) => name.startsWith('hidden_states.'));
    if (!names.length) return;
    const states = await policy.hiddenStates(this.inputs!.batch);
    for (const name of names) {
      const values = numbers(expected, name);
      const state = states[Number(name.split('.')[1])].subarray(0, values.length);
      this.compare('model', name, state, values, gates.logits * Math.max(1, largestMagnitude(values)));
    }
  }

  /** Names with the prefix `entropy.` are gradients of the entropy objective, the others of the weighted log-probability. */
  private async checkGradients(policy: InspectablePolicy) {
    const { batch, tensors } = this.inputs!;
    const expected = this.tensors('grads_full.safetensors');
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
        this.checkGradient(name, got.get(name.slice(prefix.length))?.data, numbers(expected, name));
      if (names.length !== got.size)
        this.report.fail('model', this.name, `${got.size} gradients were computed, ${names.length} are recorded`);
    }
  }

  private checkGradient(name: string, got: Float32Array | undefined, expected: ArrayLike<number>) {
    if (!got) return this.report.fail('model', this.name, `there is no gradient of ${name}`);
    const scale = largestMagnitude(expected);
    const error = maxError(got, expected);
    const relative = scale > 0 ? error / scale : error;
    this.report.check('model', this.name, `gradient ${name}`, relative <= gates.gradients, relative, gates.gradients);
  }

  private async checkAdamW(policy: InspectablePolicy) {
    const { adamw } = this.manifest;
    if (!adamw) return this.report.fail('model', this.name, 'adamw_full.safetensors has no settings in manifest.json');
    const { batch, tensors } = this.inputs!;
    const w = Float32Array.from(pick(numbers(tensors, 'w'), batch.scored));
    const masked = Array.from(numbers(tensors, 'loss_mask')).reduce((a, b) => a + b, 0);
    const scale = -(adamw.full_loss_scale ?? 1) / masked;
    for (let step = 0; step < adamw.steps; step++) {
      const { outputs, gradNorm } = await policy.update(
        {
          batches: [{ batch, columns: [w] }],
          objective: weightedLogprob,
          scalars: [scale],
          optimizer: {
            learningRate: adamw.lr,
            beta1: adamw.betas[0],
            beta2: adamw.betas[1],
            epsilon: adamw.eps,
            weightDecay: adamw.weight_decay,
            maxGradNorm: adamw.max_grad_norm ?? Number.POSITIVE_INFINITY,
          },
        },
        { temperature: 1 },
      );
      const expected = adamw.full_steps[step];
      const loss = outputs[0].loss.reduce((a, b) => a + b, 0);
      this.relative(`loss of step ${step + 1}`, loss, expected.loss, gates.loss);
      this.relative(`gradient norm of step ${step + 1}`, gradNorm, expected.grad_norm_before_clip, gates.norm);
    }
    if (adamw.full_loss_after !== undefined) {
      const { logprob } = await policy.score(batch, { temperature: 1, weights: 'policy' });
      const after = logprob.reduce((sum, value, i) => sum + value * w[i] * scale, 0);
      this.relative('loss after the last step', after, adamw.full_loss_after, gates.loss);
    }
    await this.checkParameters(policy);
  }

  private relative(quantity: string, actual: number, expected: number, gate: number) {
    const error = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
    this.report.check('model', this.name, quantity, error <= gate, error, gate);
  }

  private async checkParameters(policy: InspectablePolicy) {
    const { tensors } = await policy.save();
    let total = 0;
    let far = 0;
    let worst = 0;
    for (const [name, tensor] of this.tensors('adamw_full.safetensors')) {
      const got = tensors.get(name)?.data;
      const expected = tensor.data as unknown as ArrayLike<number>;
      if (!got) return this.report.fail('model', this.name, `the saved state has no ${name}`);
      worst = Math.max(worst, maxError(got, expected));
      total += expected.length;
      for (let i = 0; i < expected.length; i++) if (!(Math.abs(got[i] - expected[i]) <= gates.adamw.close)) far++;
    }
    const { close, closeFraction, worst: limit } = gates.adamw;
    this.report.check('model', this.name, 'parameters after AdamW', worst <= limit, worst, limit);
    const share = far / total;
    this.report.check(
      'model',
      this.name,
      `share of parameters off by more than ${close}`,
      share <= 1 - closeFraction,
      share,
      1 - closeFraction,
    );
  }

  private promptOf(sequence: number): Int32Array {
    const { ids, offsets, tensors } = this.inputs!;
    const start = offsets[sequence];
    return ids.subarray(start, start + numbers(tensors, 'prompt_lens')[sequence]);
  }

  /** Rows for two trajectories a sequence. */
  private generationCapacity(): Partial<Capacity> {
    if (!this.has('generate.safetensors')) return {};
    const sequences = this.inputs!.offsets.length - 1;
    const tokens = this.tensors('generate.safetensors').get('tokens')!.shape[1];
    const longest = Math.max(...Array.from({ length: sequences }, (_, i) => this.promptOf(i).length));
    return { rows: 2 * sequences, groups: sequences, promptTokens: longest, completionTokens: longest + tokens };
  }

  /**
   * Greedy continuations, batched: once with the whole prompt in the cache, once with its second half appended in two
   * trajectories that share the first half.
   */
  private async checkGeneration(policy: InspectablePolicy) {
    const expected = this.tensors('generate.safetensors');
    const [sequences, count] = expected.get('tokens')!.shape;
    const prompts = Array.from({ length: sequences }, (_, i) => this.promptOf(i));
    const whole = prompts.map((prompt) => ({ prompt, append: prompt.subarray(prompt.length) }));
    const halves = prompts.map((prompt) => ({
      prompt: prompt.subarray(0, prompt.length >> 1),
      append: prompt.subarray(prompt.length >> 1),
    }));
    await this.generateBoth(policy, whole, count, expected, 'greedy');
    if (prompts.every((prompt) => prompt.length > 1))
      await this.generateBoth(policy, halves, count, expected, 'greedy after an appended half prompt');
  }

  private async generateBoth(
    policy: InspectablePolicy,
    starts: readonly { prompt: Int32Array; append: Int32Array }[],
    maxTokens: number,
    expected: Tensors,
    quantity: string,
  ) {
    const slotsOf = (i: number) => [2 * i, 2 * i + 1];
    await policy.begin(starts.map(({ prompt }, i) => ({ prompt, slots: slotsOf(i), rowKeys: slotsOf(i) })));
    const rows = starts.flatMap(({ append }, i) => slotsOf(i).map((slot) => ({ slot, append, constraint: null })));
    const turns = await policy.generate(rows, { temperature: 0, seed: 1, stream: 0, maxTokens, stopTokens: [] });
    const twice = (name: string) =>
      starts.flatMap((_, i) => {
        const row = Array.from(numbers(expected, name)).slice(i * maxTokens, (i + 1) * maxTokens);
        return [...row, ...row];
      });
    this.same(
      'generation',
      `${quantity}: tokens`,
      turns.flatMap((turn) => [...turn.tokens]),
      twice('tokens'),
    );
    this.compare(
      'generation',
      `${quantity}: logp`,
      turns.flatMap((turn) => [...turn.logprobs]),
      twice('logp'),
      gates.logp,
    );
  }

  /** What is saved as a checkpoint, read and loaded again gives bit-identical logits. */
  private async checkRoundTrip(policy: InspectablePolicy) {
    const { batch } = this.inputs!;
    const { config } = this.checkpoint;
    const before = await policy.logits(batch);
    const state = await policy.save();
    const weights: TensorMap = new Map([...state.tensors].filter(([name]) => this.checkpoint.tensors.has(name)));
    const files = saveCheckpoint(config, weights, null);
    const again = loadCheckpoint({ config: files['config.json'], model: files['model.safetensors'] });
    for (const [name, { data }] of this.checkpoint.tensors) {
      const error = maxError(again.tensors.get(name)!.data, data);
      if (error > 0) this.report.check('checkpoint', this.name, `saved ${name}`, false, error, 0);
    }
    const sameConfig = JSON.stringify(again.config) === JSON.stringify(config);
    this.report.check('checkpoint', this.name, 'saved config.json is the same model', sameConfig, sameConfig ? 0 : 1);
    await this.withPolicy(
      {},
      async (other) => {
        this.same('checkpoint', 'logits after save and load', await other.logits(batch), before);
      },
      again.tensors,
    );
  }

  private async checkBf16() {
    const copy = this.load('bf16/config.json', 'bf16/model.safetensors');
    const differing = [...this.checkpoint.tensors].filter(
      ([name, { data }]) => maxError(copy.tensors.get(name)!.data, data) > 0,
    );
    this.report.check('checkpoint', this.name, 'bf16 weights are the same values', !differing.length, differing.length);
    await this.withPolicy(
      {},
      (policy) => this.checkLogits(policy, this.tensors('forward.safetensors'), 'logits of the bf16 copy'),
      copy.tensors,
    );
  }

  /** A recorded greedy continuation of the start token, and the log-probability of each token both sampled and scored. */
  private async checkContinuation(expected: {
    greedy_ids: number[];
    logp: number[];
    pieces?: string[];
    text?: string;
  }) {
    const ids = Int32Array.from(expected.greedy_ids);
    const continuation = ids.subarray(1);
    const capacity = {
      completionTokens: continuation.length,
      batchTokens: ids.length,
      batchScored: continuation.length,
    };
    await this.withPolicy(capacity, async (policy) => {
      await policy.begin([{ prompt: ids.subarray(0, 1), slots: [0], rowKeys: [0] }]);
      const [turn] = await policy.generate([{ slot: 0, append: new Int32Array(0), constraint: null }], {
        temperature: 0,
        seed: 1,
        stream: 0,
        maxTokens: continuation.length,
        stopTokens: [],
      });
      this.same('generation', `${continuation.length} greedy tokens`, turn.tokens, continuation);
      this.compare('generation', 'logp of greedy tokens', turn.logprobs, expected.logp, gates.logp);
      const scores = await policy.score(packSequences(ids, [0, ids.length]), { temperature: 1, weights: 'policy' });
      this.compare('model', 'logp of the continuation', scores.logprob, expected.logp, gates.logp);
    });
  }
}

/** Every folder that holds a model. `only`: names to keep, all where empty. */
export async function checkModels(
  goldenDir: string,
  open: OpenPolicy,
  report: GoldenReport,
  only: readonly string[] = [],
): Promise<void> {
  for (const { name } of readdirSync(goldenDir, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (only.length && !only.includes(name)) continue;
    const folder = join(goldenDir, name);
    if (!existsSync(join(folder, 'config.json')) || !existsSync(join(folder, 'model.safetensors'))) {
      report.skip('unknown-folder', name, 'it holds no config.json and model.safetensors');
      continue;
    }
    try {
      await new ModelCase(folder, name, open, report).run();
    } catch (error) {
      report.fail('model', name, (error as Error).stack ?? String(error));
    }
  }
}
