/** Opens the policy of a run, or an exported one, as a chat model. `session/completion.ts` generates its replies. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorldOptions } from '../envs/env.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { presets } from '../experiment/presets.ts';
import { parseConfig } from '../policy/config.ts';
import { type ChatModel, ChatRequestError } from '../server/openai/chat-model.ts';
import { decodeState } from '../session/checkpoint.ts';
import { Completer, type MessageRules, MessagesError, PromptTooLong } from '../session/completion.ts';
import type { Engine } from '../session/engine.ts';
import { lastFinite } from '../session/finite-weights.ts';
import { importedRun } from '../session/policies/registry.ts';
import { readRunFile } from '../session/run-file.ts';
import { Assembly } from '../session/service/assembly.ts';
import type { NewRun } from '../store/run-store.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { worldModule } from '../worlds/registry.ts';
import { NodeBaseModels } from './base-models.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { returnedRun } from './returning.ts';
import { CommandError } from './training-run.ts';

/** The policy of a folder. A whole language model has none of its own. */
function returnedPolicy(folder: string): NewRun {
  const run = returnedRun(folder, null);
  if (run.checkpoints) return run;
  throw new CommandError(
    `${folder} is a whole language model without an adapter. Train one first: npm run train -- --from ${folder}`,
  );
}

/** Reads a run's file, the folder it was written to, or a policy in Hugging Face's layout as a folder or a zip. */
export function readPolicyAt(path: string): NewRun {
  if (!existsSync(path)) throw new CommandError(`There is no ${path}.`);
  const isFolder = statSync(path).isDirectory();
  const run = isFolder ? join(path, 'run.tabgym') : path;
  if (existsSync(run) && run.endsWith('.tabgym')) return readRunFile(new Uint8Array(readFileSync(run)), run);
  if (isFolder) return returnedPolicy(path);
  return importedRun(new Uint8Array(readFileSync(path)), parseExperiment(presets[0]), basename(path));
}

/**
 * Keeps the total number of tokens but gives most of it to the prompt, because every request carries its whole
 * conversation.
 */
function roomForMessages(experiment: Experiment, config: Uint8Array | undefined): Experiment {
  const { promptTokens, completionTokens, maxTokensPerTurn } = experiment.sampling;
  const most = config ? parseConfig(JSON.parse(new TextDecoder().decode(config))).maxPosition : Infinity;
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

/** `room` sets the token limits; pass the identity to keep those of the run, as for play in its worlds. */
export async function openPolicyEngine(
  run: NewRun,
  path: string,
  options: DeviceOptions,
  room = roomForMessages,
): Promise<Engine> {
  const last = lastFinite(run.checkpoints);
  if (!last) throw new CommandError(`${path} contains no checkpoint: export the run again, with its last step.`);
  const experiment = room(parseExperiment(run.experiment), run.assets?.['config.json']);
  const machine = { open: () => openDevice(options) };
  const engines = new Assembly({ machine, openWorld: openGuardedWorld, models: new NodeBaseModels() });
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

/** Invalid messages as an error in OpenAI's format; other errors unchanged. */
function asRequestError(error: unknown): unknown {
  if (error instanceof PromptTooLong) return new ChatRequestError(error.message, 'messages', 'context_length_exceeded');
  if (error instanceof MessagesError) return new ChatRequestError(error.message, 'messages', 'invalid_value');
  return error;
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

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** The id appears in addresses, so it has only letters, digits, dots, underscores and dashes. */
const idOf = (name: string) =>
  name
    .replace(/\.(zip|tabgym)$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'policy';

/** `close` releases its device and its worlds. */
export async function openPolicyModel(
  path: string,
  options: DeviceOptions,
): Promise<{ model: ChatModel; close(): Promise<void> }> {
  const run = readPolicyAt(path);
  const engine = await openPolicyEngine(run, path, options);
  const completionPolicy = await engine.completionPolicy?.();
  if (!completionPolicy)
    throw new CommandError(`The policy of ${path} cannot answer messages: it only plays in its worlds.`);
  const completer = new Completer(completionPolicy, messageRulesOf(parseExperiment(run.experiment)));
  const model: ChatModel = {
    id: idOf(run.name),
    created: Math.floor(Date.now() / 1000),
    mostReplies: completer.mostReplies,
    get load() {
      return completer.load;
    },
    complete: ({ maxTokens, seed, ...request }) =>
      completer
        .complete({
          ...request,
          maxTokens: maxTokens ?? completer.mostTokens,
          seed: seed === null ? randomSeed() : seed >>> 0,
        })
        .catch((error) => {
          throw asRequestError(error);
        }),
  };
  return { model, close: () => engine.close() };
}
