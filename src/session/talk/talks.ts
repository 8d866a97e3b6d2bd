/**
 * Conversations of a trainer's service: opens the language model of a run or of an experiment with room for one
 * conversation, keeps it for the next message, and closes it when the device is needed for something else.
 */
import { mayAskServer } from '../../envs/module.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { withAlgorithm } from '../../rl/algorithms/replace-algorithm.ts';
import type { RunStore, StoredCheckpoint } from '../../store/run-store.ts';
import { worldModule, worldModules } from '../../worlds/registry.ts';
import { decodeState } from '../checkpoint.ts';
import type { Engine, EngineFactory } from '../engine.ts';
import type { SessionEvent } from '../protocol.ts';
import { runAssets } from '../run/recording-files.ts';
import type { TalkProgress, TalkReply, TalkRequest } from '../talk-protocol.ts';
import { Talk } from './talk.ts';

export interface TalksParts {
  store: RunStore;
  engines: EngineFactory;
  emit(event: SessionEvent): void;
  /** Stops other computation on the device. */
  freeDevice(): Promise<void>;
}

/** Thrown for a policy that cannot hold a conversation. */
class NoConversationError extends Error {
  override name = 'NoConversationError';
}

/** Room of one conversation, in tokens; a prompt is read in pieces of `batchTokens`. */
const capacity = { rows: 1, groups: 1, promptTokens: 1536, completionTokens: 1024, batchTokens: 256, batchScored: 16 };

/** A policy whose conversation is open. */
interface Opened {
  key: string;
  engine: Engine;
  talk: Talk;
  /** Step of the loaded adapter; null: nothing is loaded yet. */
  step: number | null;
}

interface Asked {
  runId: string | null;
  experiment: Experiment;
  checkpoint: StoredCheckpoint | null;
}

const stopped = () => new Error('The reply was stopped.');

/**
 * An engine opens worlds, too: one that needs no server, the experiment's own where it has one. A single world must be
 * trained on and evaluated, whatever it was among others.
 */
function localWorld({ worlds }: Experiment): Experiment['worlds'][number] {
  const own = worlds.find(({ name }) => !mayAskServer(worldModule(name)));
  const [first] = worldModules.filter((module) => module.hasOracle && !mayAskServer(module));
  return { name: first.name, options: {}, ...own, weight: 1, evaluated: true };
}

/** An algorithm without a file, a critic or custom code. */
const plain = 'grpo'; // not a kind: its settings are never used

/** The experiment with the least memory besides its policy. Nothing is trained, so no code and no file of it is read. */
export function onlyTalking(experiment: Experiment): Experiment {
  const { promptTokens } = capacity;
  return parseExperiment({
    ...experiment,
    stages: undefined,
    sweep: undefined,
    algorithm: { ...withAlgorithm(experiment.algorithm, plain), groups: 1, minibatches: 1 },
    worlds: [localWorld(experiment)],
    horizon: [{ steps: experiment.steps, turns: 1 }],
    sampling: { ...experiment.sampling, promptTokens, completionTokens: 512, maskActions: false },
    evaluation: { ...experiment.evaluation, episodes: 1 },
  });
}

export class Talks {
  private opened: Opened | null = null;
  private abort: AbortController | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: TalksParts) {}

  /** Replies to a conversation. A reply in progress is stopped first. */
  async say(request: TalkRequest): Promise<TalkReply> {
    await this.stop();
    await this.parts.freeDevice();
    const abort = new AbortController();
    this.abort = abort;
    const reply = this.replied(request, abort.signal);
    this.running = reply.catch(() => {});
    try {
      return await reply;
    } finally {
      if (this.abort === abort) this.abort = null;
    }
  }

  /** Ends the reply in progress. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.abort?.abort(stopped());
    await this.running;
  }

  /** Ends the conversation and releases the device. */
  async close(): Promise<void> {
    await this.stop();
    const { opened } = this;
    this.opened = null;
    await opened?.engine.close().catch(() => {});
  }

  private async replied(request: TalkRequest, signal: AbortSignal): Promise<TalkReply> {
    const asked = await this.asked(request);
    const onProgress = (talk: TalkProgress) => this.parts.emit({ type: 'talk', talk });
    const opened = await this.openFor(asked, signal, onProgress);
    try {
      const step = await this.loaded(opened, request.untrained ? null : asked.checkpoint);
      opened.engine.setGate?.(async () => signal.throwIfAborted());
      return { ...(await opened.talk.reply(request, { signal, onProgress })), step };
    } catch (error) {
      // The device may be lost: the next message opens the model again.
      await this.drop(opened);
      throw error;
    } finally {
      opened.engine.setGate?.(null);
    }
  }

  private async drop(opened: Opened): Promise<void> {
    if (this.opened === opened) this.opened = null;
    await opened.engine.close().catch(() => {});
  }

  private async asked({ policy }: TalkRequest): Promise<Asked> {
    if (!('runId' in policy)) return { runId: null, experiment: parseExperiment(policy.experiment), checkpoint: null };
    const { store } = this.parts;
    const { experiment } = await store.get(policy.runId);
    const checkpoint = await store.checkpoint(policy.runId);
    return { runId: policy.runId, experiment: parseExperiment(experiment), checkpoint };
  }

  private async openFor(asked: Asked, signal: AbortSignal, report: (talk: TalkProgress) => void): Promise<Opened> {
    const { runId, experiment } = asked;
    const { languageModel, label } = factsOf(experiment.policy);
    if (!languageModel)
      throw new NoConversationError(
        `The policy of "${experiment.name}" (${label}) only knows the words of its worlds. Choose a language model in the setup to talk to one.`,
      );
    const key = JSON.stringify([runId, experiment.policy]);
    if (this.opened?.key === key && !this.opened.engine.failure()) return this.opened;
    const before = this.opened;
    if (before) await this.drop(before);
    const engine = await this.parts.engines.open(onlyTalking(experiment), {
      assets: runId === null ? null : await runAssets(this.parts.store, runId, experiment),
      purpose: 'watch',
      choices: { kernelChoices: {}, batchPlan: { capacity }, adapter: '' },
      onProgress: (progress) => {
        if (progress) report({ phase: 'opening', what: progress.what, done: progress.done, total: progress.total });
      },
      signal,
    });
    this.opened = { key, engine, talk: await talkOf(engine, experiment), step: null };
    return this.opened;
  }

  /** Loads the adapter of a checkpoint, or an untrained one. Returns its step. */
  private async loaded(opened: Opened, checkpoint: StoredCheckpoint | null): Promise<number> {
    const step = checkpoint?.meta.step ?? 0;
    if (opened.step === step) return step;
    opened.talk.forget();
    if (checkpoint && step > 0) await opened.engine.load(decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep));
    else await opened.engine.initialize();
    opened.step = step;
    return step;
  }
}

async function talkOf(engine: Engine, { name }: Experiment): Promise<Talk> {
  const policy = await engine.completionPolicy?.();
  if (policy) return new Talk(policy);
  await engine.close();
  throw new NoConversationError(`The policy of "${name}" runs on a server, which this page only lets play its worlds.`);
}
