/**
 * The policy of a run without a trainer: replies to messages, and log-probabilities of replies. The caller provides the
 * engines.
 */
import type { WorldOptions } from '../../envs/env.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import type { Learner, PackedBatch } from '../../policy/policy.ts';
import type { ChatMessage } from '../../policy/text/chat-template.ts';
import type { NewRun } from '../../store/run-store.ts';
import { worldModule } from '../../worlds/registry.ts';
import { decodeState } from '../checkpoint.ts';
import { Completer, type Completion, type CompletionPolicy, type MessageRules, PromptTooLong } from '../completion.ts';
import type { Engine, EngineFactory } from '../engine.ts';
import { lastFinite } from '../finite-weights.ts';
import { storedConfig } from '../stored-json.ts';

/** The file has no policy that can be used this way. */
class NoPolicyError extends Error {
  override name = 'NoPolicyError';
}

/**
 * Keeps the total number of tokens but gives most of it to the prompt, because every request carries its whole
 * conversation.
 */
function roomForMessages(experiment: Experiment, config: Uint8Array | undefined): Experiment {
  const { promptTokens, completionTokens, maxTokensPerTurn } = experiment.sampling;
  const most = config ? storedConfig(config).maxPosition : Infinity;
  const all = Math.min(promptTokens + completionTokens, most);
  // An experiment allows no fewer completion tokens than this.
  const reply = Math.max(16, Math.min(maxTokensPerTurn + 1, completionTokens));
  return parseExperiment({
    ...experiment,
    stages: undefined,
    sampling: {
      ...experiment.sampling,
      promptTokens: all - reply,
      completionTokens: reply,
    },
  });
}

/**
 * Opens the engine of a run's last finite checkpoint, to play. `room` sets the token limits; pass the identity to keep
 * those of the run, as for play in its worlds. `name` is shown in errors.
 */
export async function openRunEngine(
  engines: EngineFactory,
  run: NewRun,
  name: string,
  room = roomForMessages,
): Promise<Engine> {
  const last = lastFinite(run.checkpoints);
  if (!last) throw new NoPolicyError(`${name} contains no checkpoint: export the run again, with its last step.`);
  const experiment = room(parseExperiment(run.experiment), run.assets?.['config.json']);
  const engine = await engines.open(experiment, {
    assets: run.assets ?? null,
    purpose: 'watch',
    choices: null,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  await engine.load(decodeState(last.bytes, last.meta.optimizerStep));
  return engine;
}

/**
 * Offered actions from the first of the run's worlds that recognizes the texts, and the reply format of the first world
 * that has its own.
 */
function messageRulesOf({ worlds, sampling }: Experiment): MessageRules {
  const modules = worlds.map(({ name, options }) => ({ module: worldModule(name), options }));
  const { writeReply, reply } = modules.find(({ module }) => module.writeReply)?.module ?? {};
  return {
    listedActions(observations) {
      if (!sampling.maskActions) return null;
      for (const { module, options } of modules) {
        const offered = module.listedActions?.(observations, options as WorldOptions);
        if (offered) return offered;
      }
      return null;
    },
    ...(writeReply && reply && { writeReply, readReply: (text: string) => reply(text).action || text }),
  };
}

/** Request for replies to messages. */
export interface ReplyRequest {
  messages: readonly ChatMessage[];
  n: number;
  temperature: number;
  maxTokens: number | null;
  stop: readonly string[];
  seed: number;
  choices: readonly string[] | null;
  signal?: AbortSignal;
  /** Called with each piece added to a reply. */
  onPiece?(reply: number, piece: string): void;
}

/** Log-probability of a reply, and the number of its tokens. */
export interface ReplyScore {
  logprob: number;
  tokens: number;
}

const canScore = (policy: CompletionPolicy['policy']): policy is Learner => 'score' in policy;

/** One batch: the prompt, and after it one reply. */
function batchOf(prompt: Int32Array, reply: Int32Array): PackedBatch {
  const tokens = new Int32Array(prompt.length + reply.length);
  tokens.set(prompt);
  tokens.set(reply, prompt.length);
  return {
    tokens,
    segments: [
      { start: 0, end: prompt.length, parent: -1 },
      { start: prompt.length, end: tokens.length, parent: 0 },
    ],
    scored: Int32Array.from(reply, (_, k) => prompt.length + k),
    allowed: null,
  };
}

export class LoadedPolicy {
  private readonly completer: Completer;

  private constructor(
    private readonly engine: Engine,
    private readonly parts: CompletionPolicy,
    rules: MessageRules,
  ) {
    this.completer = new Completer(parts, rules);
  }

  static async open(engines: EngineFactory, run: NewRun, name: string): Promise<LoadedPolicy> {
    const engine = await openRunEngine(engines, run, name);
    const parts = await engine.completionPolicy?.();
    if (parts) return new LoadedPolicy(engine, parts, messageRulesOf(parseExperiment(run.experiment)));
    await engine.close();
    throw new NoPolicyError(`The policy of ${name} cannot answer messages: it only plays in its worlds.`);
  }

  /** Maximum number of replies of a request, and of tokens of a reply. */
  limits(): { replies: number; tokens: number } {
    return { replies: this.completer.mostReplies, tokens: this.completer.mostTokens };
  }

  complete(request: ReplyRequest): Promise<Completion> {
    return this.completer.complete({ ...request, maxTokens: request.maxTokens ?? this.completer.mostTokens });
  }

  /** Scores of texts as the next reply, over the whole vocabulary. */
  async score(messages: readonly ChatMessage[], texts: readonly string[], temperature: number): Promise<ReplyScore[]> {
    const { policy, conversation } = this.parts;
    if (!canScore(policy))
      throw new NoPolicyError('This policy runs on the ONNX runtime, which samples and does not score.');
    const prompt = this.completer.promptOf(messages);
    const scores: ReplyScore[] = [];
    for (const text of texts) {
      const batch = batchOf(prompt, conversation.action(text));
      if (batch.tokens.length > policy.capacity.batchTokens)
        throw new PromptTooLong(batch.tokens.length, policy.capacity.batchTokens);
      const { logprob } = await policy.score(batch, { temperature, weights: 'policy' });
      scores.push({ logprob: logprob.reduce((sum, each) => sum + each, 0), tokens: logprob.length });
    }
    return scores;
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
