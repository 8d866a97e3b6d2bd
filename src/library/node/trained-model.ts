/** A run's policy that clients of a server train, with the states that they save as runs' files. */
import { parseExperiment } from '../../experiment/experiment.ts';
import type { PolicyState } from '../../policy/policy.ts';
import { projectionPart } from '../../policy/weights/adapter.ts';
import { tokenLosses } from '../../rl/objective/token-losses.ts';
import { RefusedError, type StateName, type TrainedModel, type Weights } from '../../server/tinker/trained-model.ts';
import { decodeState } from '../../session/checkpoint.ts';
import { readRunFile } from '../../session/run-file.ts';
import { BrokenStepError, NoRoomError, TrainedPolicy } from '../../session/service/trained-policy.ts';
import { fileOfNew } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import type { PlacedPolicyOptions } from '../opened-policy.ts';
import { nodeEngines } from './engines.ts';

/** Place of saved states. Names have letters, digits, dots, underscores, dashes and, in `owner`, colons. */
export interface StateFiles {
  /** null: there is none. */
  read(place: StateName): Uint8Array | null;
  write(place: StateName, bytes: Uint8Array): void;
}

export interface OpenedModel {
  model: TrainedModel;
  close(): Promise<void>;
}

const stateOf = (weights: Weights) => weights as PolicyState;

/** An error of the request's own numbers as the server's refusal. */
const refused = (error: unknown): never => {
  if (error instanceof NoRoomError || error instanceof BrokenStepError) throw new RefusedError(error.message);
  throw error;
};

function adapterOf({ adapter }: TrainedPolicy): TrainedModel['adapter'] {
  if (!adapter) return undefined;
  const parts = adapter.targets.map(projectionPart);
  return { rank: adapter.rank, attention: parts.includes('self_attn'), mlp: parts.includes('mlp') };
}

function modelOf(id: string, policy: TrainedPolicy, run: NewRun, files: StateFiles): TrainedModel {
  const { tokenizer } = policy.conversation;
  const sizes = JSON.stringify(parseExperiment(run.experiment).policy);
  return {
    adapter: adapterOf(policy),
    ...{ id, contextTokens: policy.contextTokens, vocabSize: policy.vocabSize, losses: tokenLosses, base: policy.base },
    token: (text) => (tokenizer.has(text) ? tokenizer.id(text) : null),
    checkRoom(prompt, maxTokens) {
      try {
        policy.roomAfter(prompt, maxTokens);
      } catch (error) {
        refused(error);
      }
    },
    score: (weights, data, loss) => policy.score(stateOf(weights), data, loss),
    async step(weights, held, settings) {
      const { state, gradNorm } = await policy.step(stateOf(weights), held, settings).catch(refused);
      return { weights: state, gradNorm };
    },
    async sample(weights, request) {
      const turns = await policy.sample(stateOf(weights), request);
      return turns.map(({ tokens, logprobs, ending }) => ({
        ...{ tokens, logprobs, ending: ending === 'stop' ? 'stop' : 'length' },
      }));
    },
    async promptLogprobs(weights, prompt) {
      if (prompt.length < 2) return new Float32Array(0);
      const sequence = { tokens: prompt.slice(0, -1), targets: prompt.slice(1) };
      return (await policy.logprobs(stateOf(weights), [sequence]))[0];
    },
    withoutOptimizer: (weights) => policy.withoutOptimizer(stateOf(weights)),
    async save(weights, place, overwrite) {
      const { owner, kind, name } = place;
      const run = policy.asRun(stateOf(weights), `${id}, ${name}`, `${owner}/${kind}/${name}`);
      const bytes = await fileOfNew(run);
      if (!overwrite && files.read(place))
        throw new RefusedError(`path: ${name} exists: choose another, or overwrite it.`);
      files.write(place, bytes);
    },
    async restore(place) {
      const bytes = files.read(place);
      if (!bytes) return null;
      const saved = readRunFile(bytes, place.name);
      const [checkpoint] = saved.checkpoints ?? [];
      const { policy: kind } = parseExperiment(saved.experiment);
      if (!checkpoint || JSON.stringify(kind) !== sizes)
        throw new RefusedError(`path: ${place.name} is the state of another policy than ${id}.`);
      return decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep);
    },
  };
}

/** Opens a run's policy for training by clients. */
export async function openTrainedModel(
  id: string,
  run: NewRun,
  { device, threads, name = 'policy' }: PlacedPolicyOptions,
  files: StateFiles,
): Promise<OpenedModel> {
  const engines = nodeEngines({ device, threads, sandbox: false });
  const policy = await TrainedPolicy.open(engines, run, name).catch(async (error: Error) => {
    await engines.closeDevice();
    throw error;
  });
  return {
    model: modelOf(id, policy, run, files),
    async close() {
      await policy.close();
      await engines.closeDevice();
    },
  };
}
