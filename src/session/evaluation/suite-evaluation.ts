/**
 * Plays a suite with a policy, in a page and on Node: opens an engine on the suite's tasks with the policy's weights,
 * plays all items in pieces that are stored as they finish, and writes the report. An interrupted evaluation continues
 * with its unfinished piece.
 */
import type { WorldOptions } from '../../envs/env.ts';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { ownSuite } from '../../experiment/own-suite.ts';
import { plainBounds } from '../../experiment/sizes.ts';
import { type SuiteReport, suiteReport } from '../../rl/evaluation/suite-report.ts';
import type { ItemResult } from '../../rl/evaluation/suite-results.ts';
import type { StoredCheckpoint } from '../../store/run-store.ts';
import { ownSuiteTexts } from '../../worlds/own-suite.ts';
import { allSuites, type FoundSuite } from '../../worlds/suites.ts';
import { decodeState } from '../checkpoint.ts';
import { type EngineFactory, PlaysOnlyError } from '../engine.ts';
import type { SuiteRequest } from '../evaluation-protocol.ts';
import type { Progress } from '../protocol.ts';

/** The policy of one step of a run. */
export interface EvaluatedPolicy {
  /** Name of the run. */
  name: string;
  experiment: Experiment;
  tokenizer: Uint8Array | undefined;
  /** null: the weights are on a server. */
  checkpoint: StoredCheckpoint | null;
}

export interface PlayOptions {
  signal: AbortSignal;
  onProgress?(progress: Progress | null): void;
  /** Results of the first items, from before an interruption. */
  kept?: readonly ItemResult[];
  /** Called with all results so far whenever there are new ones. */
  onItems?(items: readonly ItemResult[]): void | Promise<void>;
  /** Receives notices for the user; the report has them, too. */
  onNotice?(message: string, complete: boolean): void;
}

export interface PlayedSuite {
  /** Name of the run, and the step. */
  policy: string;
  experiment: Experiment;
  items: ItemResult[];
  /** Notices of the evaluation. */
  notes?: string[];
}

export class UnknownSuiteError extends Error {
  override name = 'UnknownSuiteError';
}

export const suiteNames = (): string[] => allSuites().map(({ suite }) => suite.name);

export function findSuite(name: string): FoundSuite {
  const found = allSuites().find(({ suite }) => suite.name === name);
  if (!found) throw new UnknownSuiteError(`There is no suite "${name}". Choose one of: ${suiteNames().join(', ')}.`);
  return found;
}

/** Name of the suite of a run's own held-out tasks. */
export const OWN_SUITE = ownSuiteTexts.name;

/** A suite by its name, for this experiment's policy. Throws UnknownSuiteError. */
export const suiteFor = (name: string, experiment: Experiment): FoundSuite =>
  name === OWN_SUITE ? ownSuite(experiment) : findSuite(name);

/** Parts that set how many episodes are played at once: fewer if they are longer, so that they need no more memory. */
function atOnce({ algorithm, sampling, evaluation }: Experiment, tokens: number) {
  const share = (sampling.promptTokens + sampling.completionTokens) / tokens;
  if (share >= 1) return { algorithm, evaluation };
  const scaled = (count: number) => Math.max(1, Math.floor(count * share));
  return {
    algorithm: {
      ...algorithm,
      groups: scaled(algorithm.groups),
      ...('minibatches' in algorithm && { minibatches: 1 }),
    },
    evaluation: { ...evaluation, episodes: scaled(Math.min(evaluation.episodes, plainBounds.evaluated)) },
  };
}

/** The run's experiment with the suite's tasks and turn limit. */
function onSuite(experiment: Experiment, { module, suite }: FoundSuite, request: SuiteRequest): Experiment {
  const { promptTokens = experiment.sampling.promptTokens, completionTokens = experiment.sampling.completionTokens } =
    request;
  const { algorithm, evaluation } = atOnce(experiment, promptTokens + completionTokens);
  return parseExperiment({
    ...experiment,
    evaluation,
    stages: undefined,
    // An evaluation does not train, so neither a composed reward nor custom objective code runs.
    reward: undefined,
    algorithm: { ...algorithm, objectiveCode: undefined },
    worlds: suite.entries ?? [{ name: module.name, options: suite.options }],
    horizon: [{ steps: experiment.steps, turns: suite.turns ?? suite.entries![0].turns }],
    sampling: { ...experiment.sampling, promptTokens, completionTokens },
  });
}

/**
 * The suite under the text format that the policy was trained with: the options for it come from the policy's own run.
 */
export function withPolicyOptions(experiment: Experiment, { module, suite }: FoundSuite): FoundSuite {
  const own: WorldOptions = experiment.worlds.find(({ name }) => name === module.name)?.options ?? {};
  // Null stands for the world's own.
  const names = (suite.policyOptions ?? []).filter((name) => (own[name] ?? null) !== null);
  const options = { ...Object.fromEntries(names.map((name) => [name, own[name]])), ...suite.options };
  return { module, suite: { ...suite, options } };
}

const temperatureOf = ({ greedy, temperature }: SuiteRequest, { sampling }: Experiment) =>
  greedy ? 0 : (temperature ?? sampling.temperature);
const samplesOf = ({ greedy, samples }: SuiteRequest) => (greedy ? 1 : samples);

/** Plays every item of the suite. Rejects with the signal's reason if aborted. */
export async function playSuite(
  engines: EngineFactory,
  policy: EvaluatedPolicy,
  request: SuiteRequest,
  { signal, onProgress, kept, onItems, ...listener }: PlayOptions,
  asked = suiteFor(request.suite, policy.experiment),
): Promise<PlayedSuite> {
  const found = withPolicyOptions(policy.experiment, asked);
  const experiment = onSuite(policy.experiment, found, request);
  const { checkpoint } = policy;
  // The tokenizer is the run's; config.json is left out because the suite has another length limit.
  const assets = policy.tokenizer ? { 'tokenizer.json': policy.tokenizer } : null;
  const opening = { assets, purpose: checkpoint ? 'train' : 'watch', choices: null, signal } as const;
  const engine = await engines.open(experiment, { ...opening, onProgress: (progress) => onProgress?.(progress) });
  // A cancellation does not wait for the end of a round.
  engine.setGate?.(async () => signal?.throwIfAborted());
  try {
    if (!engine.suite) throw new PlaysOnlyError(`The policy of "${policy.name}"`);
    if (checkpoint) await engine.load(decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep));
    const sampling = {
      world: found.module.name,
      samples: samplesOf(request),
      temperature: temperatureOf(request, policy.experiment),
      seed: request.seed,
    };
    const notes: string[] = [];
    const onNotice = (message: string, complete: boolean) => {
      notes.push(message);
      listener.onNotice?.(message, complete);
    };
    const items = await engine.suite(found.suite, sampling, { signal, onProgress, onNotice, kept, onItems });
    const name = checkpoint ? `${policy.name}, step ${checkpoint.meta.step}` : policy.name;
    return { policy: name, experiment, items, notes };
  } finally {
    await engine.close();
  }
}

/** Report on one policy, or on two on the same items. */
export function suiteReportOf(ours: PlayedSuite, request: SuiteRequest, other?: PlayedSuite): SuiteReport {
  const { suite } = suiteFor(request.suite, ours.experiment);
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
    notes: [...(ours.notes ?? []), ...(other?.notes ?? [])],
    other,
  });
}
