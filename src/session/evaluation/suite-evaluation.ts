/**
 * A policy on a suite of a world, in a page and on Node alike: an engine on the suite's tasks with the policy's weights, all items
 * in pieces that are kept as they come, and the report. An evaluation that was cut goes on with the piece it was in.
 */
import type { WorldOptions } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import type { WorldSuite } from '../../envs/suite.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { type SuiteReport, suiteReport } from '../../rl/evaluation/suite-report.ts';
import type { ItemResult } from '../../rl/evaluation/suite-results.ts';
import type { StoredCheckpoint } from '../../store/run-store.ts';
import { worldModules } from '../../worlds/registry.ts';
import { decodeState } from '../checkpoint.ts';
import { type EngineFactory, PlaysOnlyError } from '../engine.ts';
import type { SuiteRequest } from '../evaluation-protocol.ts';
import type { Progress } from '../protocol.ts';

/** The policy of one step of a run. */
export interface EvaluatedPolicy {
  /** Of the run. */
  name: string;
  experiment: Experiment;
  tokenizer: Uint8Array | undefined;
  /** Null: it has no weights of its own, a server plays. */
  checkpoint: StoredCheckpoint | null;
}

export interface PlayOptions {
  signal: AbortSignal;
  onProgress?(progress: Progress | null): void;
  /** Results of the first items, from before it was cut. */
  kept?: readonly ItemResult[];
  /** All results so far, each time there are more. */
  onItems?(items: readonly ItemResult[]): void | Promise<void>;
}

export interface PlayedSuite {
  /** Whose policy, at which step. */
  policy: string;
  experiment: Experiment;
  items: ItemResult[];
}

export interface FoundSuite {
  module: WorldModule;
  suite: WorldSuite;
}

export class UnknownSuiteError extends Error {
  override name = 'UnknownSuiteError';
}

export const allSuites = (): FoundSuite[] =>
  worldModules.flatMap((module) => (module.suites ?? []).map((suite) => ({ module, suite })));

export const suiteNames = (): string[] => allSuites().map(({ suite }) => suite.name);

export function findSuite(name: string): FoundSuite {
  const found = allSuites().find(({ suite }) => suite.name === name);
  if (!found) throw new UnknownSuiteError(`There is no suite "${name}". Choose one of: ${suiteNames().join(', ')}.`);
  return found;
}

/** The run's experiment on the suite's tasks and turns. */
function onSuite(experiment: Experiment, { module, suite }: FoundSuite, request: SuiteRequest): Experiment {
  const { promptTokens, completionTokens } = request;
  return parseExperiment({
    ...experiment,
    stages: undefined,
    // An evaluation learns nothing: what code says of learning does not run.
    algorithm: { ...experiment.algorithm, objectiveCode: undefined },
    worlds: [{ name: module.name, weight: 1, options: suite.options }],
    horizon: [{ steps: experiment.steps, turns: suite.turns }],
    sampling: {
      ...experiment.sampling,
      promptTokens: promptTokens ?? experiment.sampling.promptTokens,
      completionTokens: completionTokens ?? experiment.sampling.completionTokens,
    },
  });
}

/** The suite as this policy hears it: options that say how the world speaks are those of its own run. */
export function heardBy(experiment: Experiment, { module, suite }: FoundSuite): FoundSuite {
  const own: WorldOptions = experiment.worlds.find(({ name }) => name === module.name)?.options ?? {};
  const heard = (suite.policyOptions ?? []).filter((name) => own[name] !== undefined);
  const options = { ...Object.fromEntries(heard.map((name) => [name, own[name]])), ...suite.options };
  return { module, suite: { ...suite, options } };
}

const temperatureOf = ({ greedy, temperature }: SuiteRequest, { sampling }: Experiment) =>
  greedy ? 0 : (temperature ?? sampling.temperature);
const samplesOf = ({ greedy, samples }: SuiteRequest) => (greedy ? 1 : samples);

/** Every item of the suite, tried. Rejects with the signal's reason where it was aborted. */
export async function playSuite(
  engines: EngineFactory,
  policy: EvaluatedPolicy,
  request: SuiteRequest,
  { signal, onProgress, kept, onItems }: PlayOptions,
  asked = findSuite(request.suite),
): Promise<PlayedSuite> {
  const found = heardBy(policy.experiment, asked);
  const experiment = onSuite(policy.experiment, found, request);
  const { checkpoint } = policy;
  // The text's tokens are the run's; its config has another room.
  const assets = policy.tokenizer ? { 'tokenizer.json': policy.tokenizer } : null;
  const opening = { assets, purpose: checkpoint ? 'train' : 'watch', choices: null, signal } as const;
  const engine = await engines.open(experiment, { ...opening, onProgress: (progress) => onProgress?.(progress) });
  try {
    if (!engine.suite) throw new PlaysOnlyError(`The policy of "${policy.name}"`);
    if (checkpoint) await engine.load(decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep));
    const sampling = {
      world: found.module.name,
      samples: samplesOf(request),
      temperature: temperatureOf(request, policy.experiment),
      seed: request.seed,
    };
    const items = await engine.suite(found.suite, sampling, { signal, onProgress, kept, onItems });
    const name = checkpoint ? `${policy.name}, step ${checkpoint.meta.step}` : policy.name;
    return { policy: name, experiment, items };
  } finally {
    await engine.close();
  }
}

/** The report of one policy, or of two on the same items. */
export function suiteReportOf(ours: PlayedSuite, request: SuiteRequest, other?: PlayedSuite): SuiteReport {
  const { suite } = findSuite(request.suite);
  return suiteReport({
    suite,
    policy: ours.policy,
    settings: {
      samples: samplesOf(request),
      temperature: temperatureOf(request, ours.experiment),
      greedy: request.greedy,
      masked: ours.experiment.sampling.maskActions,
      seed: request.seed,
    },
    items: ours.items,
    turns: request.turns,
    other,
  });
}
