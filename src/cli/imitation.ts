/**
 * Imitation on Node: trains a policy from random weights to follow the worlds' oracles until its own sampled play
 * reaches a given success rate, and writes it as a Hugging Face folder, which an experiment accepts wherever it accepts
 * a language model.
 */
import type { Experiment } from '../experiment/experiment.ts';
import { factsOf, kindsWith } from '../experiment/policies/registry.ts';
import { nodeEngines } from '../library/node/engines.ts';
import { parseConfig } from '../policy/config.ts';
import { saveCheckpoint } from '../policy/formats/checkpoint.ts';
import { parametersOf } from '../policy/moments.ts';
import type { Evaluation } from '../rl/evaluation/evaluation.ts';
import type { Engine } from '../session/engine.ts';
import { tinyTokens } from '../session/text/tiny-tokenizer.ts';
import type { DeviceOptions } from './node-device.ts';
import { evaluationProgress } from './progress.ts';
import { CommandError } from './training-run.ts';
import { type Content, writeFolder as writeFiles } from './whole-files.ts';

export interface ImitationOptions extends DeviceOptions {
  experiment: Experiment;
  out: string;
  /** Stops at this success rate on training goals, sampled at the training temperature. */
  until: number;
  /** Maximum number of steps. */
  steps: number;
  /** Steps between evaluations. */
  every: number;
  /** Oracle episodes per step. */
  episodes: number;
  learningRate?: number;
  print(line: string): void;
}

export interface Imitated {
  steps: number;
  evaluation: Evaluation;
  /** True if `until` was reached. */
  reached: boolean;
  folder: string;
}

const three = (value: number) => value.toFixed(3);

const quiet = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };

/** Follows the oracle with evaluations in between, and writes the folder whether or not `until` was reached. */
export async function imitateOracle(options: ImitationOptions): Promise<Imitated> {
  const { device, threads } = options;
  const { policy } = options.experiment;
  if (!factsOf(policy).ownWeights)
    throw new CommandError(
      `policy.kind is "${policy.kind}": imitation trains all weights, which needs policy.kind "${kindsWith('ownWeights').join('" or "')}".`,
    );
  const engine = await nodeEngines({ device, threads, sandbox: false }).open(options.experiment, quiet);
  try {
    await engine.initialize();
    const found = await follow(engine, options);
    await writeFolder(engine, options.out);
    options.print(`written to ${options.out}: config.json, model.safetensors, tokenizer.json`);
    return { ...found, folder: options.out };
  } finally {
    await engine.close();
  }
}

async function follow(engine: Engine, options: ImitationOptions): Promise<Omit<Imitated, 'folder'>> {
  const { until, steps, every, episodes, learningRate, print } = options;
  const imitate = engine.training?.imitate;
  if (!imitate) throw new CommandError('This policy cannot be trained by imitation: choose another policy.kind.');
  let evaluation = await measure(engine, 0, print);
  let step = 0;
  while (evaluation.train.policy.rate < until && step < steps) {
    step += 1;
    const { nats, gradNorm, demonstrations, skipped } = await imitate(step, { episodes, learningRate });
    if (demonstrations === 0)
      throw new CommandError(
        `There are no oracle episodes to imitate: ${skipped} tasks were skipped. A world needs an oracle, and room for its episodes ` +
          '(sampling.promptTokens, sampling.completionTokens).',
      );
    const due = step % every === 0 || step === steps;
    if (due) print(`step ${step}  ${three(nats)} nats per token  grad ${three(gradNorm)}  ${demonstrations} episodes`);
    if (due) evaluation = await measure(engine, step, print);
  }
  return { steps: step, evaluation, reached: evaluation.train.policy.rate >= until };
}

async function measure(engine: Engine, step: number, print: (line: string) => void): Promise<Evaluation> {
  const evaluation = await engine.evaluate(step, { signal: quiet.signal, onProgress: evaluationProgress(print) });
  const { train, test } = evaluation;
  const beside = `chance ${three(train.chance.rate)}, oracle ${train.oracle ? three(train.oracle.rate) : '-'}`;
  print(`step ${step}  training ${three(train.policy.rate)} (${beside}), held-out ${three(test.policy.rate)}`);
  return evaluation;
}

/** Writes the policy in Hugging Face's layout. */
export async function writeFolder(engine: Engine, folder: string): Promise<void> {
  const text = (name: string) => new TextDecoder().decode(engine.assets[name]);
  const { tensors } = await engine.training!.save();
  const config = parseConfig(JSON.parse(text('config.json')));
  const files = saveCheckpoint(config, parametersOf(tensors), text('tokenizer.json'));
  const settings = { 'tokenizer_config.json': JSON.stringify(tinyTokens, null, 2) };
  writeFiles(folder, new Map<string, Content>(Object.entries({ ...files, ...settings })));
}
