/**
 * Prepares the inputs for the other programs: a random language model, a run of two steps with it, its hand-offs and
 * exports, and our engine's scores of fixed tokens.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportedFiles, readCheckpoint } from '../../../src/cli/export.ts';
import { handOff } from '../../../src/cli/handoff-folder.ts';
import { openDevice } from '../../../src/cli/node-device.ts';
import { makeModel } from '../../../src/cli/random-model.ts';
import { train } from '../../../src/cli/training-run.ts';
import { writeFolder } from '../../../src/cli/whole-files.ts';
import { uniformAt } from '../../../src/envs/random-player.ts';
import { findModel } from '../../../src/policy/catalogue.ts';
import { Model } from '../../../src/policy/engine/model.ts';
import { type Checkpoint, loadCheckpoint } from '../../../src/policy/formats/checkpoint.ts';
import { loadAdapter } from '../../../src/policy/formats/peft.ts';
import { Tokenizer } from '../../../src/policy/text/tokenizer.ts';
import { TokenSource } from '../../../src/rl/episode/trajectory.ts';
import { handoffNames } from '../../../src/session/handoff/registry.ts';
import { decodeTrajectories } from '../../../src/session/run/trajectory-codec.ts';
import { readRun } from '../../../src/store/bundle.ts';
import { worldModule } from '../../../src/worlds/registry.ts';

/** Small enough for a processor; the vocabulary has a language model's form. */
const shape = { layers: 2, hidden: 64, intermediate: 128, heads: 4, kvHeads: 2, headDim: 16, vocab: 2048 };
const trainedSteps = 2;

const experiment = (model: string) => ({
  format: 'tabgym-experiment-1',
  name: 'Made Qwen shape',
  seed: 1,
  steps: 12,
  policy: { kind: 'lora', model, weights: 'f32', lora: { rank: 8, alpha: 16 } },
  worlds: [{ name: 'textcraft', options: { depths: [1], distractors: 1 } }],
  // A random model earns no reward, so only a bonus for entropy moves its adapter.
  algorithm: { name: 'grpo', groups: 2, groupSize: 2, entropy: 0.01 },
  horizon: [
    { steps: 3, turns: 2 },
    { steps: 9, turns: 3 },
  ],
  sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 8, promptTokens: 1200, completionTokens: 500 },
  optimizer: { learningRate: 0.001, weightDecay: 0, maxGradNorm: 1 },
  evaluation: { every: 0, episodes: 8 },
});

/** Name of the hand-off whose worlds are played by calls of tools. */
export const byTools = 'trl-tools';

/** Hands an experiment over whose world is played by calls of tools, with the tools as the world lists them. */
export async function prepareTools(folder: string, print: (line: string) => void): Promise<void> {
  const out = join(folder, byTools);
  if (existsSync(join(out, 'tools.json'))) return;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'tools-experiment.json');
  const world = { name: 'tools-todo', options: { instances: 20, testInstances: 5 } };
  const horizon = [{ steps: 12, turns: 4 }];
  const algorithm = { name: 'grpo', groups: 2, groupSize: 4, entropy: 0.01 };
  const sampling = { ...experiment('').sampling, completionTokens: 200 };
  write(file, { ...experiment(join(folder, 'model')), worlds: [world], algorithm, horizon, sampling });
  await handOff(file, { to: byTools, out, steps: 10, print });
  write(join(out, 'tools.json'), worldModule(world.name).tools);
}

export interface ScoredSequence {
  tokens: number[];
  /** Positions to score. Default: all but the first. */
  scored?: number[];
}

/** (S) sequences of random tokens, which cover rows of the whole vocabulary. */
const randomSequences = (vocabulary: number, count: number, length: number): ScoredSequence[] =>
  Array.from({ length: count }, (_, s) => ({
    tokens: Array.from({ length }, (_, t) => Math.floor(uniformAt(7, s, t) * vocabulary)),
  }));

/** Log-probability of each scored token at temperature 1, by our engine on the WebAssembly device. */
export async function ourScores(
  { config, tensors }: Checkpoint,
  sequences: readonly ScoredSequence[],
  adapterFolder: string | null,
): Promise<number[][]> {
  const device = await openDevice({ device: 'wasm', threads: 1 });
  const lengths = sequences.map(({ tokens }) => tokens.length);
  const total = lengths.reduce((a, b) => a + b, 0);
  const most = Math.max(...lengths);
  const text = (name: string) => readFileSync(join(adapterFolder!, name), 'utf8');
  const adapter = adapterFolder
    ? loadAdapter(config, {
        config: text('adapter_config.json'),
        tensors: new Uint8Array(readFileSync(join(adapterFolder, 'adapter_model.safetensors'))),
      })
    : undefined;
  const model = await Model.create(device, config, {
    capacity: { rows: 1, groups: 1, promptTokens: most, completionTokens: 8, batchTokens: total, batchScored: total },
    weights: tensors,
    adapter,
    trainable: true,
    reference: false,
  });
  const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
  const own = sequences.map(({ tokens, scored }) => scored ?? tokens.map((_, t) => t).slice(1));
  const { logprob } = await model.score(
    {
      tokens: Int32Array.from(sequences.flatMap(({ tokens }) => tokens)),
      segments: lengths.map((length, i) => ({ start: starts[i], end: starts[i] + length, parent: -1 })),
      scored: Int32Array.from(own.flatMap((places, i) => places.map((t) => starts[i] + t))),
      allowed: null,
    },
    { temperature: 1, weights: 'policy' },
  );
  model.destroy();
  const ends = own.map((_, i) => own.slice(0, i + 1).reduce((sum, places) => sum + places.length, 0));
  return own.map((places, i) => Array.from(logprob.subarray(ends[i] - places.length, ends[i])));
}

export const checkpointAt = (folder: string): Checkpoint =>
  loadCheckpoint({
    config: readFileSync(join(folder, 'config.json'), 'utf8'),
    model: new Uint8Array(readFileSync(join(folder, 'model.safetensors'))),
    tokenizer: readFileSync(join(folder, 'tokenizer.json'), 'utf8'),
  });

const write = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value));

/** Sampled tokens of a run's last step. */
function sampledIn(run: string): ScoredSequence[] {
  const { trajectories } = readRun(new Uint8Array(readFileSync(run)), run);
  const last = Math.max(...(trajectories ?? new Map()).keys());
  return decodeTrajectories(trajectories!.get(last)!).map(({ tokens, source }) => ({
    tokens: [...tokens],
    scored: [...tokens.keys()].filter((t) => source[t] === TokenSource.policy),
  }));
}

/** Exports a tiny policy, the one that comes with the page. */
async function tinyExports(folder: string): Promise<void> {
  const from = await readCheckpoint('public/sample-policy.zip');
  const form = { operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
  for (const format of ['hf', 'onnx'] as const) {
    const files = exportedFiles(from, { ...form, format });
    writeFolder(join(folder, `tiny-${format}`), files);
  }
}

/** Prepares all inputs, once; an existing folder is reused. */
export async function prepare(folder: string, print: (line: string) => void): Promise<void> {
  if (existsSync(join(folder, 'expected.json'))) return;
  mkdirSync(folder, { recursive: true });
  const model = join(folder, 'model');
  if (!existsSync(model))
    await makeModel(findModel('qwen2.5-0.5b'), { out: model, seed: 3, dtype: 'f32', overrides: shape });
  const file = join(folder, 'experiment.json');
  write(file, experiment(model));
  const run = join(folder, 'run');
  if (!existsSync(join(run, 'run.tabgym')))
    await train({ file, out: run, steps: trainedSteps, device: 'wasm', threads: 1, print });
  for (const to of handoffNames.filter((each) => each !== byTools))
    if (!existsSync(join(folder, to))) await handOff(run, { to, out: join(folder, to), steps: 10, print });
  await tinyExports(folder);
  const tiny = checkpointAt(join(folder, 'tiny-hf'));
  const made = checkpointAt(model);
  const sequences = {
    tiny: randomSequences(tiny.config.vocabSize, 4, 48),
    made: randomSequences(made.config.vocabSize, 4, 48),
    run: sampledIn(join(run, 'run.tabgym')),
  };
  const adapter = join(folder, 'trl/adapter');
  const text =
    '<bos><obs>Crafting commands:\ncraft 4 acacia planks using 1 acacia logs\n\nGoal: craft acacia planks.<act>get 1 acacia logs<eot><obs>Got 1 acacia logs<act>';
  const ids = [...new Tokenizer(JSON.parse(tiny.tokenizer!)).encode(text)];
  write(join(folder, 'expected.json'), {
    sequences,
    conversation: { text, ids },
    scores: {
      tiny: await ourScores(tiny, sequences.tiny, null),
      made: await ourScores(made, sequences.made, null),
      adapted: await ourScores(made, sequences.made, adapter),
      run: await ourScores(made, sequences.run, adapter),
    },
  });
}
