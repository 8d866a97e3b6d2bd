/**
 * A tiny policy, or an adapter on a language model, that a program outside of a session trains: losses and samples of given tokens, and optimiser steps.
 * Weights are values: a step returns new ones, so that several clients train and sample on one engine. Calls run one at
 * a time; the caller orders them.
 */
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import type { LoraPolicy } from '../../experiment/policies/adapted.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { notFinite } from '../../policy/finite.ts';
import { freshState } from '../../policy/moments.ts';
import type { GeneratedTurn, GenerateRow, Learner, OptimizerSettings, PolicyState } from '../../policy/policy.ts';
import type { LoraConfig } from '../../policy/weights/adapter.ts';
import { likelihoodObjective } from '../../rl/objective/likelihood.ts';
import { type TokenColumns, tokenLosses } from '../../rl/objective/token-losses.ts';
import type { NewRun } from '../../store/run-store.ts';
import { chatAssets } from '../chat-assets.ts';
import { checkpointOf, decodeState, REFERENCE } from '../checkpoint.ts';
import type { CompletionPolicy } from '../completion.ts';
import type { Choices, Engine, EngineFactory } from '../engine.ts';
import { lastFinite } from '../finite-weights.ts';
import { loraOf } from '../policies/adapted-plan.ts';
import { openRunEngine } from './loaded-policy.ts';
import { batchesOf, type TargetSequence } from './target-batches.ts';

/** Thrown for a policy that clients cannot train. */
class UntrainableError extends Error {
  override name = 'UntrainableError';
}

/** Thrown for tokens that the policy's memory plan has no room for. */
export class NoRoomError extends Error {
  override name = 'NoRoomError';
}

/** Thrown for an optimiser step whose weights are not finite. The weights before it stay usable. */
export class BrokenStepError extends Error {
  override name = 'BrokenStepError';
}

export interface TokenSampling {
  prompt: Int32Array;
  count: number;
  temperature: number;
  /** null: as many as there is room for. */
  maxTokens: number | null;
  /** null: the policy's own. */
  stopTokens: readonly number[] | null;
  seed: number;
}

const isLearner = (policy: CompletionPolicy['policy']): policy is Learner => 'update' in policy;

export class TrainedPolicy {
  private loaded: PolicyState | null = null;

  private constructor(
    private readonly engine: Engine,
    private readonly learner: Learner,
    readonly conversation: CompletionPolicy['conversation'],
    private readonly run: NewRun & { experiment: Experiment },
    /** Weights and optimiser of the run's last checkpoint. */
    readonly base: PolicyState,
  ) {}

  /** `name` is shown in errors. */
  static async open(engines: EngineFactory, run: NewRun, name: string): Promise<TrainedPolicy> {
    const experiment = parseExperiment(run.experiment);
    const last = lastFinite(run.checkpoints);
    if (!factsOf(experiment.policy).trains || !last)
      throw new UntrainableError(`Clients train a tiny policy with its weights, or an adapter, and ${name} has none.`);
    const engine = await openRunEngine(engines, run, name, (own) => own);
    const { policy, conversation } = (await engine.completionPolicy?.()) ?? {};
    if (policy && conversation && isLearner(policy)) {
      const base = decodeState(last.bytes, last.meta.optimizerStep);
      return new TrainedPolicy(engine, policy, conversation, { ...run, experiment }, base);
    }
    await engine.close();
    throw new UntrainableError(`${name} cannot be trained on this device.`);
  }

  /** The adapter's settings; null: all weights of the policy are trained. */
  get adapter(): LoraConfig | null {
    const { policy } = this.run.experiment;
    return factsOf(policy).ownWeights ? null : loraOf(policy as LoraPolicy);
  }

  get vocabSize(): number {
    return this.learner.vocabSize;
  }

  /** Tokens of a prompt with its reply. */
  get contextTokens(): number {
    const { promptTokens, completionTokens } = this.learner.capacity;
    return promptTokens + completionTokens;
  }

  /** Room for a reply after a prompt. Throws a NoRoomError if it is too small. */
  roomAfter(prompt: Int32Array, maxTokens: number | null): number {
    const { promptTokens, completionTokens } = this.learner.capacity;
    const room = completionTokens - Math.max(0, prompt.length - promptTokens) - 1;
    const wanted = maxTokens ?? 1;
    if (wanted <= room) return maxTokens ?? room;
    throw new NoRoomError(
      `A prompt of ${prompt.length} tokens leaves room for ${Math.max(0, room)}, and ${wanted} were asked for: this policy reads ${promptTokens} tokens as prompt and ${completionTokens} after it.`,
    );
  }

  private async use(state: PolicyState): Promise<void> {
    if (this.loaded === state) return;
    this.loaded = null;
    await this.engine.load(state);
    this.loaded = state;
  }

  /** Log-probability of each sequence's targets under these weights. */
  async logprobs(state: PolicyState, sequences: readonly TargetSequence[]): Promise<Float32Array[]> {
    await this.use(state);
    const found = sequences.map(({ targets }) => new Float32Array(targets.length));
    for (const { batch, rows } of batchesOf(sequences, this.learner.capacity)) {
      const { logprob } = await this.learner.score(batch, { temperature: 1, weights: 'policy' });
      for (const [n, places] of rows.entries())
        for (const { sequence, position } of places) found[sequence][position] = logprob[n];
    }
    return found;
  }

  /** Loss of each target, and its derivative by the log-probability. */
  async score(
    state: PolicyState,
    data: readonly (TargetSequence & { columns: TokenColumns })[],
    loss: { name: string; settings: { readonly [name: string]: number } },
  ) {
    const logprobs = await this.logprobs(state, data);
    return data.map(({ columns }, k) => {
      const { loss: losses, weight } = tokenLosses[loss.name].evaluate(logprobs[k], columns, loss.settings);
      return { logprobs: logprobs[k], losses, weights: weight };
    });
  }

  /** One optimiser step down the sum of weight * log-probability over all targets. */
  async step(
    state: PolicyState,
    held: readonly (TargetSequence & { weights: ArrayLike<number> })[],
    optimizer: OptimizerSettings,
  ): Promise<{ state: PolicyState; gradNorm: number }> {
    await this.use(state);
    this.loaded = null;
    const weightOf = (sequence: number, position: number) => held[sequence].weights[position];
    const moved = batchesOf(held, this.learner.capacity, (...place) => weightOf(...place) !== 0);
    const batches = moved.map(({ batch, rows }) => ({
      batch,
      // The objective's loss is minus the log-probability times its coefficient.
      columns: [
        Float32Array.from(rows, (places) =>
          places.reduce((sum, { sequence, position }) => sum - weightOf(sequence, position), 0),
        ),
      ],
    }));
    const request = { batches, objective: likelihoodObjective, scalars: [], optimizer };
    const { gradNorm } = await this.learner.update(request, { temperature: 1 });
    const stepped = await this.learner.save();
    const problem = notFinite(stepped.tensors);
    if (problem)
      throw new BrokenStepError(
        `The step was not taken: after it ${problem}. Lower learning_rate or set grad_clip_norm.`,
      );
    this.loaded = stepped;
    return { state: stepped, gradNorm };
  }

  /** Replies to a prompt, as many rows at a time as were planned. */
  async sample(state: PolicyState, request: TokenSampling): Promise<GeneratedTurn[]> {
    await this.use(state);
    const { rows } = this.learner.capacity;
    const turns: GeneratedTurn[] = [];
    for (let first = 0; first < request.count; first += rows)
      turns.push(...(await this.sampleRows(request, first, Math.min(rows, request.count - first))));
    return turns;
  }

  private async sampleRows(request: TokenSampling, first: number, count: number): Promise<GeneratedTurn[]> {
    const { learner, conversation } = this;
    const { prompt, temperature, seed, stopTokens } = request;
    const { promptTokens } = learner.capacity;
    const maxTokens = this.roomAfter(prompt, request.maxTokens);
    const sampling = { temperature, seed, stream: 0, maxTokens, stopTokens: stopTokens ?? conversation.stopTokens };
    const slots = Array.from({ length: count }, (_, k) => k);
    const rowKeys = slots.map((slot) => first + slot);
    await learner.admit([{ key: 0, prompt: prompt.slice(0, promptTokens), slots, rowKeys }]);
    try {
      const turns: GeneratedTurn[] = [];
      const append = prompt.slice(promptTokens);
      let left: GenerateRow[] = slots.map((slot) => ({ slot, append, constraint: null }));
      while (left.length) {
        const round = await learner.generate(left, sampling);
        for (const [k, turn] of round.entries()) if (turn) turns[left[k].slot] = turn;
        left = left.filter((_, k) => round[k] === null);
      }
      return turns;
    } finally {
      learner.release(slots);
    }
  }

  /** The same weights with a new optimiser. */
  withoutOptimizer({ tensors }: PolicyState): PolicyState {
    return freshState(tensors);
  }

  /** A run at step 0 with these weights and this optimiser, in the worlds of the policy's run. */
  asRun(state: PolicyState, name: string, file: string): NewRun {
    const { experiment, assets = {}, name: from, step = 0 } = this.run;
    const files = { ...assets, ...this.engine.assets };
    const { 'config.json': config, 'tokenizer.json': tokenizer } = files;
    const choices: Choices = { kernelChoices: {}, batchPlan: {}, adapter: '' };
    const checkpoint = checkpointOf(0, state, choices);
    return {
      name: name.slice(0, 120),
      experiment: { ...experiment, name: name.slice(0, 120) },
      origin: { kind: 'import', file, from: { trainer: 'tinker', run: from, step } },
      checkpoints: [checkpoint],
      assets: {
        'config.json': config,
        'tokenizer.json': tokenizer,
        ...chatAssets(files),
        // An adapter's reference is its model without it.
        ...(!this.adapter && { [REFERENCE]: checkpointOf(0, freshState(state.tensors), choices).bytes }),
      },
    };
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
