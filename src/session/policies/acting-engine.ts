/**
 * An engine that plays and does not train, on the ONNX runtime: with a run's own weights if there is no WebGPU, or with
 * a language model published as ONNX. Implements the interface of engine.ts without training.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { OnnxActor, type OnnxModelSource } from '../../policy/onnx/actor.ts';
import type { OnnxBackend } from '../../policy/onnx/runtime.ts';
import type { Capacity, PolicyState } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import type { Conversation } from '../../rl/episode/conversation.ts';
import { Evaluator } from '../../rl/evaluator.ts';
import type { CompletionPolicy } from '../completion.ts';
import { type Choices, type Engine, PlaysOnlyError, type StepOptions, type WatchOptions } from '../engine.ts';
import { closeWorlds, type Worlds } from '../opened-worlds.ts';
import type { Progress } from '../protocol.ts';
import { watchEpisode } from './live-turn.ts';

export interface ActingParts {
  experiment: Experiment;
  capacity: Capacity;
  tokenizer: Tokenizer;
  conversation: Conversation;
  worlds: Worlds;
  backend: OnnxBackend;
  /** The model's config.json. */
  config: Uint8Array;
  /** The model that plays before any training step. */
  initial(): Promise<OnnxModelSource>;
  /**
   * The model that plays after a checkpoint; null if the model has no trainable weights, and therefore no checkpoints.
   */
  restored: ((state: PolicyState) => OnnxModelSource) | null;
  signal: AbortSignal;
  onProgress(progress: Progress | null): void;
}

const backendNames: { [name in OnnxBackend]: string } = { wasm: 'WebAssembly', webgpu: 'WebGPU' };

export class ActingEngine implements Engine {
  readonly training = null;
  readonly choices: Choices;
  readonly assets: { [name: string]: Uint8Array };
  private playing: { policy: OnnxActor; evaluator: Evaluator } | null = null;
  /** True if the initial model is the one that plays. */
  private initialized = false;

  constructor(private readonly parts: ActingParts) {
    const { capacity, backend, tokenizer, config } = parts;
    const adapter = `ONNX runtime (${backendNames[backend]})`;
    this.choices = { kernelChoices: {}, batchPlan: { capacity }, adapter };
    this.assets = { 'tokenizer.json': new TextEncoder().encode(JSON.stringify(tokenizer.json)), 'config.json': config };
  }

  async evaluate(step: number, { signal, onProgress }: StepOptions) {
    return (await this.ready()).evaluator.evaluate(step, { signal, onProgress });
  }

  async completionPolicy(): Promise<CompletionPolicy> {
    return { policy: (await this.ready()).policy, conversation: this.parts.conversation };
  }

  async watch(watching: WatchOptions, options: StepOptions): Promise<void> {
    await watchEpisode((await this.ready()).evaluator, watching, options);
  }

  /** Ignores a reference: only training needs it. */
  async load(state: PolicyState, options?: { reference?: boolean }): Promise<void> {
    if (options?.reference) return;
    const { restored, experiment } = this.parts;
    if (!restored) throw new PlaysOnlyError(`The policy of "${experiment.name}"`);
    await this.play(restored(state));
    this.initialized = false;
  }

  private async play(source: OnnxModelSource): Promise<void> {
    const { capacity, experiment, backend, onProgress } = this.parts;
    onProgress({ what: 'Loading the ONNX runtime', done: 0, total: null, unit: 'steps' });
    const policy = await OnnxActor.create(source, { capacity, backend });
    this.playing?.policy.destroy();
    this.playing = { policy, evaluator: await Evaluator.create(experiment, { ...this.parts, policy }) };
    onProgress(null);
  }

  /** Keeps the initial model if it is already loaded. */
  async initialize(): Promise<void> {
    if (this.initialized) return;
    await this.play(await this.parts.initial());
    this.initialized = true;
  }

  private async ready() {
    if (!this.playing) await this.initialize();
    return this.playing!;
  }

  failure(): null {
    return null;
  }

  async report(): ReturnType<Engine['report']> {
    return { memory: [], kernels: [] };
  }

  async close(): Promise<void> {
    this.playing?.policy.destroy();
    await closeWorlds(this.parts.worlds);
  }
}
