/**
 * Policy as a transformer on a device: implements the interface of policy.ts for the Llama, Qwen2, Qwen3 and SmolLM2
 * models. Trains all weights, or an adapter beside frozen ones. Independent of rewards. Long because playing, scoring,
 * updates and the measured gradient share one recorder and its buffers.
 */
import { type Device, DeviceError, type KernelCache, type Recorder, slice, whole } from '../../device/device.ts';
import { countParameters, type ModelConfig } from '../config.ts';
import { maxStaging, planBuffers } from '../plan/buffers.ts';
import { resultBatches, resultFloats } from '../plan/head-buffers.ts';
import { ropePositions } from '../plan/layer-buffers.ts';
import type { PlannedBuffer } from '../plan/planned-buffer.ts';
import type {
  AdmittedGroup,
  Capacity,
  Counters,
  CriticSettings,
  GeneratedTurn,
  GenerateRow,
  Learner,
  ObjectiveSpec,
  PackedBatch,
  PageBudget,
  PolicyState,
  Sampling,
  Scores,
  TeacherRows,
  TokenDistributions,
  UpdateRequest,
  UpdateResult,
} from '../policy.ts';
import type { Weights } from '../weights/linear.ts';
import { plainCache } from './attention.ts';
import { BatchError, describeTokens, entryStarts, withLists } from './batch.ts';
import { Critic, loadNotes, saveNotes } from './critic.ts';
import { Generation } from './generation/generation.ts';
import { Head } from './head.ts';
import { HostEvaluation } from './host-evaluation.ts';
import { HostMemory } from './host-memory.ts';
import { loadTexts, saveTexts } from './kept-texts.ts';
import { defaultChoices, runnableChoices } from './kernel-choices.ts';
import { Layers, type Pass } from './layers.ts';
import { type ModelOptions, planOptionsOf, secondOptions } from './model-options.ts';
import { ModelState } from './model-state.ts';
import { ModelWeights } from './model-weights.ts';
import { requestObjective, runObjective } from './objective.ts';
import { Operations } from './operations.ts';
import { requestKernels } from './request-kernels.ts';
import { column, outputsOf, withDivergences } from './results.ts';
import { ropeTable } from './rope-table.ts';
import { loadSecond, saveSecond } from './second-model.ts';
import { Workspace } from './workspace.ts';

type UpdateOptions = Parameters<Learner['update']>[1];
/** An update before its optimiser step. */
type Accumulated = Omit<UpdateRequest, 'optimizer'>;
type Forward = { rows: ReturnType<Head['upload']>; pass: Pass };

const withAllLists = (request: Accumulated): Accumulated => ({
  ...request,
  batches: request.batches.map((each) => ({ ...each, batch: withLists(each.batch) })),
});

export class Model implements Learner {
  readonly kernels: KernelCache;
  readonly recorder: Recorder;
  readonly ops: Operations;
  readonly layers: Layers;
  readonly head: Head;
  readonly generation: Generation;
  readonly plan: readonly PlannedBuffer[];
  private readonly ws: Workspace;
  private readonly values: ModelWeights;
  private readonly critic: Critic;
  /** Model of a separate critic, from which values are read. */
  private readonly second: Model | null;
  private readonly host: HostMemory;
  readonly notes = new Map<string, number>();
  readonly texts = new Map<string, string>();
  private readonly state: ModelState;
  private tokensTrained = 0;

  private constructor(
    readonly device: Device,
    readonly config: ModelConfig,
    readonly options: ModelOptions,
    /** Host memory of the policy, if this is the second model of a separate critic. */
    host: HostMemory | null = null,
  ) {
    const { capacity } = options;
    this.plan = planBuffers(config, capacity, planOptionsOf(options, device));
    this.kernels = device.kernels;
    const staging = this.plan.find(({ name }) => name === 'staging')?.bytes ?? maxStaging;
    this.recorder = device.createRecorder(staging, device.info.isFallback ? 5e7 : 5e9);
    this.ws = new Workspace(device, this.plan);
    this.ops = new Operations(this.kernels, this.recorder, runnableChoices(options.choices ?? defaultChoices, device));
    this.layers = new Layers(config, this.ops, this.ws);
    this.critic = new Critic(config.hiddenSize);
    this.host = host ?? new HostMemory(this.plan);
    this.second = options.critic === 'separate' ? new Model(device, config, secondOptions(options), this.host) : null;
    this.head = new Head(config, this.ops, this.ws, capacity);
    this.generation = new Generation(config, this.ops, this.ws, this.layers, capacity, options.kvCache);
    this.values = new ModelWeights(device, config, options, this.ops, this.ws);
    this.state = new ModelState(this.recorder, this.values);
  }

  /** Allocates the planned buffers, compiles every kernel, and uploads the weights. */
  static async create(device: Device, config: ModelConfig, options: ModelOptions): Promise<Model> {
    ModelWeights.check(config, options);
    const model = await device.allocating(
      `a policy of ${config.numLayers} layers`,
      () => new Model(device, config, options),
    );
    try {
      const models = model.second ? [model, model.second] : [model];
      for (const each of models) requestKernels(each, each.ws, each.values);
      await model.kernels.settle(options.onProgress);
      for (const each of models) await each.fill();
    } catch (error) {
      model.destroy();
      throw error;
    }
    return model;
  }

  /** Sets the function that recorded work awaits after it has yielded to the event loop (`Recorder.gate`). */
  setGate(gate: Recorder['gate']): void {
    this.recorder.gate = gate;
    this.second?.setGate(gate);
  }

  private async fill(): Promise<void> {
    await this.values.fill();
    this.recorder.upload(this.ws.buffer('rope'), 0, ropeTable(this.config, ropePositions(this.capacity)));
    await this.recorder.finish();
  }

  /** Weights used for playing and training. */
  get weights(): Weights {
    return this.values.active;
  }

  get capacity(): Capacity {
    return this.options.capacity;
  }

  get vocabSize(): number {
    return this.config.vocabSize;
  }

  /** Number of parameters, including those of an adapter. */
  get numParameters(): number {
    const adapter = this.options.adapter ? this.values.trained!.layout.count : 0;
    return countParameters(this.config) + adapter;
  }

  /** GPU bytes allocated, by part of the plan. */
  memory(): { name: string; bytes: number }[] {
    const parts = new Map<string, number>();
    for (const b of this.plan) parts.set(b.part, (parts.get(b.part) ?? 0) + b.bytes);
    return [...parts].map(([name, bytes]) => ({ name, bytes }));
  }

  /** Bytes of the host arrays in the plan. */
  get hostBytes(): number {
    return this.host.bytes;
  }

  counters(): Counters {
    const { dispatches, submissions, readbacks, flops } = this.recorder;
    const { tokensPrefilled, tokensGenerated } = this.generation;
    return {
      tokensPrefilled,
      tokensGenerated,
      tokensTrained: this.tokensTrained,
      dispatches,
      submissions,
      readbacks,
      flops,
      buffersCreated: this.device.buffersCreated,
    };
  }

  /** Runs `work` while the creation of buffers is forbidden. */
  private async sealed<T>(phase: string, work: () => Promise<T>): Promise<T> {
    this.device.check();
    this.device.seal(phase);
    try {
      return await work();
    } finally {
      this.device.unseal();
    }
  }

  readonly pages: PageBudget = {
    admits: (groups) => this.generation.slots.admits(groups),
    grow: (row) => this.generation.slots.grow(row),
  };

  admit(groups: readonly AdmittedGroup[]): Promise<void> {
    return this.sealed('admit', async () => this.generation.admit(this.weights, groups));
  }

  release(slots: readonly number[]): void {
    this.generation.slots.release(slots);
  }

  restart(slot: number, rowKey: number): void {
    this.generation.slots.restart(slot, rowKey);
  }

  room(slot: number): number {
    return this.generation.slots.room(slot);
  }

  sampledSoFar(slot: number): readonly number[] {
    return this.generation.slots.get(slot).turn?.tokens ?? [];
  }

  generate(rows: readonly GenerateRow[], sampling: Sampling, signal?: AbortSignal): Promise<(GeneratedTurn | null)[]> {
    return this.sealed('generate', () => this.generation.round(this.weights, rows, sampling, signal));
  }

  /** Uploads a batch and runs its forward. The scores are in `results`, starting at row `resultOffset`. */
  private forward(weights: Weights, batch: PackedBatch, resultOffset: number, temperature: number): Forward {
    const T = batch.tokens.length;
    if (T > this.capacity.batchTokens)
      throw new BatchError(`${T} tokens in a batch; at most ${this.capacity.batchTokens} were planned.`);
    for (const token of batch.tokens) {
      if (token < 0 || token >= this.vocabSize)
        throw new BatchError(`Token ${token} is outside the vocabulary of ${this.vocabSize} tokens.`);
    }
    const words = describeTokens(batch);
    this.recorder.upload(this.ws.buffer('ids'), 0, Uint32Array.from(batch.tokens));
    this.recorder.upload(this.ws.buffer('tokens'), 0, words as Uint32Array<ArrayBuffer>);
    const rows = this.head.upload(batch);
    let pairs = 0;
    for (let t = 0; t < T; t++) pairs += words[t * 8] + 1;
    const attention = this.layers.describeAttention(words, plainCache, true);
    const pass: Pass = { T, pairs, cache: (l) => this.layers.activation('kv', l), attention };
    this.layers.forward(weights, pass);
    this.head.forward(weights, rows, resultOffset, temperature);
    return { rows, pass };
  }

  score(
    batch: PackedBatch,
    { temperature, weights, values }: { temperature: number; weights: 'policy' | 'reference'; values?: boolean },
  ): Promise<Scores> {
    return this.sealed('score', async () => {
      this.forward(weights === 'policy' ? this.weights : this.reference(), batch, 0, temperature);
      if (values) this.second?.forward(this.second.weights, batch, 0, 1);
      return (await this.readScores(batch.scored.length, values)).scores;
    });
  }

  /** Distribution of each scored token over its allowed tokens. */
  distributions(batch: PackedBatch, { temperature }: { temperature: number }): Promise<TokenDistributions> {
    return this.sealed('score', async () => {
      const listed = withLists(batch);
      this.forward(this.weights, listed, 0, temperature);
      const offsets = Int32Array.from(entryStarts(listed.allowed!, this.vocabSize));
      const N = batch.scored.length;
      const read = async (name: 'entryLogits' | 'headLse', count: number) => {
        const part = slice(this.ws.buffer(name), 0, count * 4);
        return (await this.state.readInto(new Float32Array(part.size / 4), part)).subarray(0, count);
      };
      const logprobs = await read('entryLogits', offsets[N]);
      const lse = await read('headLse', N);
      lse.forEach((value, n) => {
        for (let e = offsets[n]; e < offsets[n + 1]; e++) logprobs[e] -= value;
      });
      return { offsets, logprobs };
    });
  }

  /**
   * Runs forward, objective and backward of one micro-batch, accumulating gradients. `taught`: its teacher's
   * distributions with the divergence from them, if it has a teacher.
   */
  private async accumulate(
    batch: PackedBatch,
    objective: ObjectiveSpec,
    columns: readonly Float32Array[],
    scalars: readonly number[],
    resultOffset: number,
    temperature: number,
    taught: { teacher?: TeacherRows; divergence?: number } = {},
  ): Promise<void> {
    this.train();
    const { teacher, divergence } = taught;
    const forward = this.forward(this.weights, batch, resultOffset, temperature);
    // An objective that this thread evaluates reads the results of the forward.
    if (!this.device.compiles) await this.recorder.finish();
    runObjective(this.ops, this.ws, objective, columns, scalars, forward.rows.N, resultOffset);
    if (divergence !== undefined) this.head.uploadTeacher(forward.rows, batch, teacher!, divergence);
    this.backward(forward, resultOffset, temperature);
  }

  /** Backward directly after the forward of the same batch, from its rows' `seeds`. Accumulates gradients. */
  private backward({ rows, pass }: Forward, resultOffset: number, temperature: number, values = false): void {
    this.head.backward(this.weights, rows, pass.T, resultOffset, temperature, values);
    this.layers.backward(this.weights, pass);
    const dtable = this.weights.gradient('embedding');
    const { hiddenSize } = this.config;
    if (dtable)
      this.ops.scatterRows(this.ws.slice('lists'), rows.embedding, this.ws.slice('dlayer'), dtable, hiddenSize);
    this.tokensTrained += pass.T;
  }

  private train() {
    const { grads, adamw } = this.values;
    if (!grads || !adamw) throw new DeviceError('This model was created without training.');
    return { grads, adamw };
  }

  private reference(): Weights {
    if (!this.values.reference) throw new DeviceError('This model was created without a reference.');
    return this.values.reference;
  }

  async update(request: UpdateRequest, options: UpdateOptions): Promise<UpdateResult> {
    return this.accumulated(request, options, async (read) => {
      this.train().adamw.record(request.optimizer);
      if (request.critic) this.second?.train().adamw.record(request.optimizer);
      if (request.critic) this.critic.apply(request.critic.learningRate);
      return read(true);
    });
  }

  /** Gradient of all trained values; the accumulated values are cleared afterwards, as by a step. */
  async gradient(
    request: Omit<UpdateRequest, 'optimizer' | 'critic'>,
    options: { temperature: number },
  ): Promise<Float32Array<ArrayBuffer>> {
    return this.accumulated(request, options, async (read) => {
      await read(false);
      const { grads } = this.train();
      const values = await this.state.flat(grads);
      grads.clear(this.recorder);
      await this.recorder.finish();
      return values;
    });
  }

  /**
   * Accumulates the gradients of all micro-batches, then runs `end`. Its argument reads the results, with the gradient
   * norm or without.
   */
  private async accumulated<T>(
    given: Accumulated,
    options: UpdateOptions,
    end: (read: (withNorm: boolean) => Promise<UpdateResult>) => Promise<T>,
  ): Promise<T> {
    this.train();
    const request = given.divergence === undefined ? given : withAllLists(given);
    const { objective } = request;
    const byHost = objective.wgsl === undefined;
    if (!byHost) {
      requestObjective(this.ops, objective);
      await this.kernels.settle();
    }
    const work = byHost
      ? () => this.accumulateByHost(request, options)
      : () => this.accumulateOnDevice({ ...request, objective }, options);
    const withTeacher = (output: UpdateResult['outputs'][number], index: number) =>
      request.divergence === undefined ? output : withDivergences(output, request.batches[index].teacher!);
    return this.sealed('update', async () => {
      const read = await work();
      return end(async (withNorm) => {
        const result = await read(withNorm);
        return { ...result, outputs: result.outputs.map(withTeacher) };
      });
    }).catch((error) => this.discardGradients(error));
  }

  /** Discards partial gradients of a failed update, so that they do not enter the next one. */
  private discardGradients(error: unknown): never {
    if (!this.device.failure) for (const each of [this, this.second]) each?.train().grads.clear(each.recorder);
    this.critic.discardGradient();
    throw error;
  }

  /** Accumulates with the objective's WGSL form: no round trip until the last micro-batch. */
  private async accumulateOnDevice(
    request: Accumulated & { objective: ObjectiveSpec },
    { temperature, onBatch }: UpdateOptions,
  ): Promise<(withNorm: boolean) => Promise<UpdateResult>> {
    const outputs: UpdateResult['outputs'] = [];
    let waiting: number[] = [];
    const room = this.capacity.batchScored * resultBatches;
    let used = 0;
    const { aux } = request.objective;
    const taught = request.divergence !== undefined;
    for (const [index, { batch, columns, teacher }] of request.batches.entries()) {
      const N = batch.scored.length;
      if (used + N > room) {
        outputs.push(...(await this.readResults(waiting, used, { aux, taught })).outputs);
        waiting = [];
        used = 0;
      }
      const each = { teacher, divergence: request.divergence };
      await this.accumulate(batch, request.objective, columns, request.scalars, used, temperature, each);
      await this.recorder.yieldToMessages();
      onBatch?.(index + 1, request.batches.length);
      waiting.push(N);
      used += N;
    }
    return async (withNorm) => {
      const last = await this.readResults(waiting, used, { withNorm, aux, taught });
      return { outputs: [...outputs, ...last.outputs], gradNorm: last.gradNorm };
    };
  }

  /**
   * Accumulates with the objective's definition between forward and backward, over all rows at once if it needs them.
   */
  private async accumulateByHost(
    request: Accumulated,
    { temperature, onBatch }: UpdateOptions,
  ): Promise<(withNorm: boolean) => Promise<UpdateResult>> {
    const { batches, critic, divergence } = request;
    const evaluation = new HostEvaluation(request, this.host.array('updateScores') ?? new Float32Array(0));
    const run = async (batch: PackedBatch) => {
      const forward = this.forward(this.weights, batch, 0, temperature);
      const valued = critic && this.second?.forward(this.second.weights, batch, 0, 1);
      return { forward, valued, ...(await this.readScores(batch.scored.length, critic !== undefined)) };
    };
    if (evaluation.needsAll) for (const { batch } of batches) evaluation.addScores((await run(batch)).scores);
    const outputs: UpdateResult['outputs'] = [];
    for (const [index, { batch, teacher }] of batches.entries()) {
      const { forward, valued, scores, hidden } = await run(batch);
      const { seeds, valueWeight, output } = await evaluation.part(index, scores);
      this.recorder.upload(this.ws.buffer('seeds'), 0, seeds);
      if (divergence !== undefined) this.head.uploadTeacher(forward.rows, batch, teacher!, divergence);
      this.backward(forward, 0, temperature, critic && this.uploadValues(valueWeight, critic));
      if (valued) this.second!.backwardValues(valued, valueWeight, this.critic.slopes);
      if (hidden) this.critic.accumulate(hidden, valueWeight);
      const N = batch.scored.length;
      const read = divergence === undefined ? [] : (await this.readResults([N], N, { taught: true })).outputs;
      outputs.push({ ...output, ...(read[0] && { divergence: read[0].divergence }) });
      await this.recorder.yieldToMessages();
      onBatch?.(index + 1, batches.length);
    }
    return async (withNorm) => {
      const { gradNorm } = withNorm ? await this.readResults([], 0, { withNorm }) : { gradNorm: 0 };
      return { outputs, gradNorm, metrics: evaluation.metrics };
    };
  }

  /** Uploads value gradients if the critic shares this model's trunk. Returns true if they were uploaded. */
  private uploadValues(valueWeight: Float64Array, { trunkWeight }: CriticSettings): boolean {
    const shared = this.options.critic === 'shared' && trunkWeight > 0;
    if (shared) this.head.uploadValues(valueWeight, this.critic.slopes, trunkWeight);
    return shared;
  }

  /** Backward of a separate critic's model, which learns from value gradients only. */
  private backwardValues(forward: Forward, valueWeight: Float64Array, slopes: Float32Array<ArrayBuffer>): void {
    this.recorder.upload(this.ws.buffer('seeds'), 0, new Float32Array(2 * valueWeight.length));
    this.head.uploadValues(valueWeight, slopes, 1);
    this.backward(forward, 0, 1, true);
  }

  /** (N, C) inputs of the value head, from the last recorded forward. Valid until the next one. */
  private async readHidden(N: number): Promise<Float32Array<ArrayBuffer>> {
    const out = this.host.array('hiddenRows');
    if (!out) throw new DeviceError('This model was created without a critic, so it has no values.');
    const states = slice(this.ws.buffer('hiddenNormed'), 0, N * this.config.hiddenSize * 4);
    return this.state.readInto(out.subarray(0, N * this.config.hiddenSize), states);
  }

  /** Reads the scores of the last recorded forward; with `values`, evaluates the value head on each row as well. */
  private async readScores(N: number, values = false): Promise<{ scores: Scores; hidden: Float32Array | null }> {
    const none = { logprob: new Float32Array(0), entropy: new Float32Array(0) };
    if (N === 0) return { scores: values ? { ...none, value: new Float32Array(0) } : none, hidden: null };
    const [bytes] = await this.recorder.read([slice(this.ws.buffer('results'), 0, N * resultFloats * 4)]);
    const rows = new Float32Array(bytes);
    const scores: Scores = { logprob: column(rows, 0, N), entropy: column(rows, 1, N) };
    if (!values) return { scores, hidden: null };
    const hidden = await (this.second ?? this).readHidden(N);
    return { scores: { ...scores, value: this.critic.values(hidden) }, hidden };
  }

  private async readResults(
    sizes: number[],
    used: number,
    { withNorm = false, taught = false, aux }: { withNorm?: boolean; taught?: boolean; aux?: readonly string[] },
  ) {
    const count = Math.max(1, used);
    const slices = [slice(this.ws.buffer('results'), 0, count * resultFloats * 4)];
    if (taught) slices.push(slice(this.ws.buffer('divergences'), 0, count * 4));
    if (withNorm) slices.push(whole(this.ws.buffer('norm')));
    const [rows, ...others] = (await this.recorder.read(slices)).map((bytes) => new Float32Array(bytes));
    const outputs = outputsOf(rows, sizes, aux, taught ? others[0] : undefined);
    return { outputs, gradNorm: withNorm ? others[others.length - 1][0] : 0 };
  }

  /** Nothing is copied for an adapted model: its reference is the base, regardless of the adapter. */
  async freezeReference(): Promise<void> {
    this.reference();
    this.values.freezeReference();
  }

  async save({ reference = false }: { reference?: boolean } = {}): Promise<PolicyState> {
    if (reference) this.reference();
    if (reference) return this.state.saveReference();
    const state = await this.state.save();
    this.critic.save(state.tensors);
    if (this.second) await saveSecond(this.second, state.tensors);
    saveNotes(this.notes, state.tensors);
    saveTexts(this.texts, state.tensors);
    return state;
  }

  async load(state: PolicyState, { reference = false }: { reference?: boolean } = {}): Promise<void> {
    if (reference) this.reference();
    if (reference) return this.state.loadReference(state);
    await this.state.load(state);
    this.critic.load(state.tensors);
    if (this.second) await loadSecond(this.second, state);
    loadNotes(this.notes, state.tensors);
    loadTexts(this.texts, state.tensors);
  }

  destroy(): void {
    this.second?.destroy();
    this.ws.destroy();
    this.values.destroy();
    this.recorder.destroy();
  }
}
