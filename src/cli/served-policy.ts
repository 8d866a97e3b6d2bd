/** Opens the policy of a run, or an exported one, as a chat model. `session/completion.ts` generates its replies. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseExperiment } from '../experiment/experiment.ts';
import { presets } from '../experiment/presets.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
import { type ChatModel, ChatRequestError } from '../server/openai/chat-model.ts';
import { Completer, MessagesError, PromptTooLong } from '../session/completion.ts';
import type { Engine } from '../session/engine.ts';
import { importedRun } from '../session/policies/registry.ts';
import { readRunFile } from '../session/run-file.ts';
import { Assembly } from '../session/service/assembly.ts';
import { messageRulesOf, openRunEngine, roomForMessages } from '../session/service/loaded-policy.ts';
import type { NewRun } from '../store/run-store.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
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

/** `room` sets the token limits; pass the identity to keep those of the run, as for play in its worlds. */
export function openPolicyEngine(
  run: NewRun,
  path: string,
  options: DeviceOptions,
  room = roomForMessages,
): Promise<Engine> {
  const machine = { open: () => openDevice(options) };
  const engines = new Assembly({ machine, openWorld: openGuardedWorld, models: new NodeBaseModels() });
  return openRunEngine(engines, run, path, room);
}

/** Invalid messages as an error in OpenAI's format; other errors unchanged. */
function asRequestError(error: unknown): unknown {
  if (error instanceof PromptTooLong) return new ChatRequestError(error.message, 'messages', 'context_length_exceeded');
  if (error instanceof MessagesError) return new ChatRequestError(error.message, 'messages', 'invalid_value');
  return error;
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
