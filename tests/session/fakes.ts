// An engine of plain numbers: one tensor, and an update that depends only on the weights and the step. Faults can be
// injected.
import type { World } from '../../src/envs/env.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import type { PolicyState, TensorMap } from '../../src/policy/policy.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import type { Evaluation, Rate } from '../../src/rl/evaluation/evaluation.ts';
import type { Choices, Engine, EngineFactory, OpenOptions, StepOptions } from '../../src/session/engine.ts';
import type { GpuReport, MemoryPlanReport } from '../../src/session/protocol.ts';

export const trajectory = (over: Partial<Trajectory> = {}): Trajectory => ({
  task: { world: 'textcraft', id: 3, options: { depths: [1] }, strata: { depth: 1 } },
  group: 0,
  member: 0,
  prompt: 'Crafting commands:\ncraft 1 dark oak sign using 6 dark oak planks',
  promptLength: 4,
  tokens: Int32Array.of(5, 6, 7, 8, 9, 10, 700),
  source: Uint8Array.of(0, 0, 0, 0, 1, 1, 0),
  turnOf: Int16Array.of(-1, -1, -1, -1, 0, 0, 0),
  logprob: Float32Array.of(0, 0, 0, 0, -0.7, -0.1, 0),
  choices: { position: Int32Array.of(4, 5), offsets: Int32Array.of(0, 2, 5), tokens: Int32Array.of(9, 11, 3, 10, 12) },
  turns: [
    {
      action: 'get 1 oak',
      observation: 'Got 1 oak',
      reward: 0.5,
      valid: true,
      actionStart: 4,
      actionEnd: 6,
      observationStart: 6,
      observationEnd: 7,
    },
  ],
  score: 0.1 + 0.2,
  success: false,
  ending: 'horizon',
  horizon: 3,
  oracleTurns: 2,
  advantage: -1 / 3,
  advantages: Float32Array.of(-1 / 3, 0.25),
  ...over,
});

const rate = (value: number): Rate => ({ successes: 0, episodes: 8, rate: value, low: 0, high: 1 });
const noise = (step: number, i: number) => Math.sin(step * 12.9898 + i * 78.233);

export class FakeEngine implements Engine {
  readonly training = this;
  private weights = new Float32Array(8);
  private reference = new Float32Array(8);
  private moment = new Float32Array(8);
  private optimizerStep = 0;
  private broken: Error | null = null;
  closed = false;

  constructor(
    private readonly experiment: Experiment,
    private readonly factory: FakeEngines,
  ) {}

  choices: Choices = { kernelChoices: { matmul: 'tile8' }, batchPlan: { rows: 8 }, adapter: 'fake adapter' };
  assets = {
    'tokenizer.json': new TextEncoder().encode(JSON.stringify({ model: { vocab: { '[UNK]': 0, oak: 1 } } })),
    'config.json': new TextEncoder().encode('{}'),
  };

  async initialize() {
    this.weights = Float32Array.from({ length: 8 }, (_, i) => noise(this.experiment.seed, i));
    this.reference = this.weights.slice();
  }

  async step(step: number, options: StepOptions) {
    await this.factory.hook('step', step, this, options.signal);
    const { learningRate } = this.experiment.optimizer;
    for (let update = 0; update < this.experiment.algorithm.minibatches; update++) {
      this.optimizerStep++;
      for (let i = 0; i < 8; i++) {
        this.moment[i] = 0.9 * this.moment[i] + noise(step + update, i) * this.weights[i];
        this.weights[i] -= learningRate * this.moment[i];
      }
    }
    const kl = this.weights.reduce((sum, w, i) => sum + (w - this.reference[i]) ** 2, 0);
    const record = {
      step,
      stage: step > 3 ? 2 : 1,
      metrics: { kl, norm: Math.hypot(...this.weights), stepMs: Math.random() },
    };
    return { record, trajectories: [trajectory({ score: kl }), trajectory({ member: 1, choices: null })] };
  }

  async evaluate(step: number, options: StepOptions): Promise<Evaluation> {
    await this.factory.hook('evaluate', step, this, options.signal);
    const split = {
      policy: rate(Math.abs(Math.tanh(this.weights[0] + step))),
      chance: rate(0.2),
      oracle: null,
      score: 0,
      strata: {},
    };
    return { train: split, test: split };
  }

  async watch() {}

  async save(options?: { reference?: boolean }): Promise<PolicyState> {
    if (options?.reference)
      return { tensors: new Map([['w', { shape: [8], data: this.reference.slice() }]]), optimizerStep: 0 };
    const { unused } = this.factory;
    const tensors: TensorMap = new Map([
      ['w', { shape: [8], data: this.weights.slice() }],
      ['exp_avg.w', { shape: [8], data: this.moment.slice() }],
      ['unused', { shape: [unused.length], data: unused }],
    ]);
    return { tensors, optimizerStep: this.optimizerStep };
  }

  async load(state: PolicyState, options?: { reference?: boolean }) {
    if (options?.reference) {
      this.reference = state.tensors.get('w')!.data.slice();
      return;
    }
    this.weights = state.tensors.get('w')!.data.slice();
    this.moment = state.tensors.get('exp_avg.w')!.data.slice();
    this.optimizerStep = state.optimizerStep;
  }

  /** Simulates a lost device: from now on results are garbage. */
  lose(error: Error) {
    this.broken = error;
    this.weights.fill(Number.NaN);
  }

  failure() {
    return this.broken;
  }

  /** Set by the session; a hook of a step may await it, as a device does. */
  gate: (() => Promise<void>) | null = null;
  survivesSleep = false;

  setGate(gate: (() => Promise<void>) | null) {
    this.gate = gate;
  }

  async report() {
    return { memory: [], kernels: [] };
  }

  async close() {
    this.closed = true;
  }
}

export type Hook = (
  what: 'step' | 'evaluate' | 'open',
  step: number,
  engine: FakeEngine | null,
  signal: AbortSignal,
) => Promise<void> | void;

export class FakeEngines implements EngineFactory {
  /** Numbers in each checkpoint beside the weights, to make it large. */
  unused = new Float32Array(0);
  opened: OpenOptions[] = [];
  engines: FakeEngine[] = [];
  constructor(readonly hook: Hook = () => {}) {}

  async report(): Promise<GpuReport> {
    const adapter = { vendor: 'fake', architecture: '', description: 'fake adapter', isFallback: true };
    return { supported: true, problem: '', adapter, features: [], limits: {}, selftest: [] };
  }

  async plan(): Promise<MemoryPlanReport> {
    return { parts: [], total: 0, fits: true, advice: '' };
  }

  async open(experiment: Experiment, options: OpenOptions): Promise<FakeEngine> {
    await this.hook('open', this.opened.length, null, options.signal);
    this.opened.push(options);
    this.engines.push(new FakeEngine(experiment, this));
    return this.engines.at(-1)!;
  }

  async openWorld(): Promise<World> {
    const view = (text: string) => ({ kind: 'text' as const, text });
    let actions: string[] = [];
    return {
      describe: () => ({ name: 'textcraft', replayable: true }) as ReturnType<World['describe']>,
      tasks: async () => [],
      reset: async () => {
        actions = [];
        return [{ observation: 'prompt', reward: 0, done: false, valid: true }];
      },
      step: async (_, [action]) => {
        actions.push(action);
        return [{ observation: `did ${action}`, reward: 0, done: false, valid: true }];
      },
      oracle: async () => [null],
      view: async () => view(actions.join(';')),
      close: async () => {},
    };
  }
}
