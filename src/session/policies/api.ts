/**
 * A model behind an API: the worlds are played here, replies are requested from its server, and no weights are stored.
 */

import { ChatEvaluator, type ChatParts } from '../../rl/chat-evaluator.ts';
import { StoreError } from '../../store/run.ts';
import { ApiModel } from '../api/api-model.ts';
import { currentKey } from '../api/current-key.ts';
import { planReport } from '../device/plan-report.ts';
import { type Choices, type Engine, PlaysOnlyError, type StepOptions, type WatchOptions } from '../engine.ts';
import { closeWorlds, type Worlds, withWorlds } from '../opened-worlds.ts';
import type { SessionPolicy } from './kind.ts';
import { liveTurn } from './live-turn.ts';

/** Number of concurrent requests that a single-machine server handles without a long queue. */
const episodesAtOnce = 8;

class ApiEngine implements Engine {
  readonly training = null;
  readonly choices: Choices = { kernelChoices: {}, batchPlan: {}, adapter: '' };
  readonly assets = {};

  constructor(
    private readonly name: string,
    private readonly model: ApiModel,
    private readonly worlds: Worlds,
    private readonly evaluator: ChatEvaluator,
  ) {}

  evaluate(step: number, { signal, onProgress, onNotice }: StepOptions) {
    return this.evaluator.evaluate(step, { signal, onProgress, onNotice });
  }

  /**
   * Finished tries are kept: a server's replies cannot be repeated, and each of them may have been paid for. Replies
   * without text are reported at the end.
   */
  async suite(...[suite, sampling, options]: Parameters<NonNullable<Engine['suite']>>) {
    const { signal, onProgress, onNotice, kept, onItems } = options;
    const items = await this.evaluator.suite(suite, sampling, { signal, onProgress, onNotice, kept, onItems });
    const silence = this.model.silence();
    if (silence) onNotice?.(silence, false);
    return items;
  }

  async watch({ turnMs, step, ...watched }: WatchOptions, options: StepOptions): Promise<void> {
    await this.evaluator.watch(step, watched, {
      signal: options.signal,
      onNotice: options.onNotice,
      onTurn: async (event) => {
        options.onTurn?.(await liveTurn(event));
        options.signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, turnMs));
      },
    });
  }

  async load(_state: unknown, options?: { reference?: boolean }): Promise<void> {
    if (!options?.reference) throw new PlaysOnlyError(this.name);
  }

  async initialize(): Promise<void> {}

  failure(): null {
    return null;
  }

  async report(): ReturnType<Engine['report']> {
    return { memory: [], kernels: [] };
  }

  close(): Promise<void> {
    return closeWorlds(this.worlds);
  }
}

/** Uses a different seed for each attempt at an item, so that a server that applies it does not repeat itself. */
function replierWith(model: ApiModel, maxTokens: number): ChatParts['replierWith'] {
  return ({ temperature, seed }, onNotice) =>
    (messages, key, signal, tools) =>
      model.reply(messages, { temperature, maxTokens, seed: seed + key, signal, tools, onNotice });
}

export const api: SessionPolicy<'api'> = {
  /** The model uses its server's memory. */
  plan: async (_, { device }) => planReport([], await device().catch(() => null)),

  async open(experiment, options, { openWorld, modelSettings }) {
    const { address, name, contextTurns, replyTokens } = experiment.policy;
    if (options.purpose === 'train') throw new PlaysOnlyError(`${name} at ${address}`);
    options.onProgress({ what: 'Opening the worlds', done: 0, total: null, unit: 'steps' });
    return withWorlds(experiment, openWorld, async (worlds) => {
      const model = new ApiModel({ address, model: name, key: () => currentKey(address, modelSettings) });
      const parts = { worlds, replierWith: replierWith(model, replyTokens), atOnce: episodesAtOnce, contextTurns };
      options.onProgress(null);
      return new ApiEngine(`${name} at ${address}`, model, worlds, new ChatEvaluator(experiment, parts));
    });
  },

  export({ name, address }) {
    throw new StoreError(`This run plays ${name} at ${address}: it has no policy of its own to export.`);
  },
};
