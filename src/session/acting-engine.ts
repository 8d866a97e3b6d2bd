/**
 * An engine that plays and does not train: the run's policy over the ONNX runtime, where there is no WebGPU. It meets the
 * seam of engine.ts; what needs a gradient is refused in words.
 */
import type { World } from '../envs/env.ts';
import { type ModelConfig, writeConfig } from '../policy/config.ts';
import { initTiny } from '../policy/init.ts';
import { ActsOnlyError, OnnxPolicy } from '../policy/onnx-policy.ts';
import type { Capacity, PolicyState } from '../policy/policy.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { Conversation } from '../rl/conversation.ts';
import { Trainer } from '../rl/trainer.ts';
import type { Choices, Engine, StepOptions, WatchOptions } from './engine.ts';
import type { Experiment } from './experiment.ts';
import { watchEpisode } from './live-turn.ts';
import type { Progress } from './protocol.ts';

export interface ActingParts {
  experiment: Experiment;
  config: ModelConfig;
  capacity: Capacity;
  tokenizer: Tokenizer;
  conversation?: Conversation;
  worlds: ReadonlyMap<string, World>;
  onProgress(progress: Progress | null): void;
}

const encode = (text: string) => new TextEncoder().encode(text);

export class ActingEngine implements Engine {
  readonly actsOnly = true;
  readonly choices: Choices;
  readonly assets: { [name: string]: Uint8Array };
  private playing: { policy: OnnxPolicy; trainer: Trainer } | null = null;

  constructor(private readonly parts: ActingParts) {
    const { capacity, config, tokenizer } = parts;
    this.choices = { kernelChoices: {}, batchPlan: { capacity }, adapter: 'ONNX runtime (WebAssembly)' };
    this.assets = {
      'tokenizer.json': encode(JSON.stringify(tokenizer.json)),
      'config.json': encode(writeConfig(config)),
    };
  }

  step(): Promise<never> {
    return Promise.reject(new ActsOnlyError('be trained'));
  }

  async evaluate(step: number, { signal, onProgress }: StepOptions) {
    return (await this.ready()).trainer.evaluate(step, { signal, onProgress });
  }

  async watch(watching: WatchOptions, options: StepOptions): Promise<void> {
    await watchEpisode((await this.ready()).trainer, watching, options);
  }

  save(): Promise<PolicyState> {
    return Promise.reject(new ActsOnlyError('write a checkpoint'));
  }

  /** A reference is for training: it is passed over. */
  async load(state: PolicyState, options?: { reference?: boolean }): Promise<void> {
    if (options?.reference) return;
    const tensors = new Map([...state.tensors].filter(([name]) => !name.startsWith('exp_avg')));
    const { config, capacity, experiment, onProgress } = this.parts;
    onProgress({ what: 'Loading the ONNX runtime', done: 0, total: null, unit: 'steps' });
    const policy = await OnnxPolicy.create({ config, tensors }, { capacity });
    this.playing?.policy.destroy();
    this.playing = { policy, trainer: await Trainer.create(experiment, { ...this.parts, policy }) };
    onProgress(null);
  }

  async initialize(): Promise<void> {
    const { config, experiment } = this.parts;
    const { policy, seed } = experiment;
    if (policy.kind !== 'tiny') throw new ActsOnlyError('open a language model with an adapter');
    const tensors = initTiny(config, policy, seed);
    await this.load({ tensors, optimizerStep: 0 });
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
    for (const world of this.parts.worlds.values()) await world.close();
  }
}
