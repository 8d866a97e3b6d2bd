/** A run's last policy on a suite of a world: played, put in tables, compared with another's. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldModule } from '../envs/module.ts';
import { worldModules } from '../envs/registry.ts';
import type { WorldSuite } from '../envs/suite.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { asked } from '../experiment/policies/api.ts';
import { presets } from '../experiment/presets.ts';
import {
  reportCsv,
  reportJson,
  reportMarkdown,
  reportPlots,
  reportText,
  type SuiteReport,
  suiteReport,
} from '../rl/evaluation/suite-report.ts';
import type { ItemResult } from '../rl/evaluation/suite-results.ts';
import type { SuiteSampling } from '../rl/evaluator.ts';
import { Assembly } from '../session/assemble.ts';
import { decodeState } from '../session/checkpoint.ts';
import { readRun } from '../store/bundle.ts';
import { NodeBaseModels } from './base-models.ts';
import { type Connections, openingWorlds } from './connecting.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { CommandError } from './training.ts';

export interface EvaluationOptions extends DeviceOptions {
  run: string;
  suite: string;
  samples: number;
  /** Success within so many turns each. */
  turns: readonly number[];
  greedy: boolean;
  /** Default: the run's own. */
  temperature?: number;
  seed: number;
  /** Room for an episode after its prompt, where the run's is too small for the suite. */
  completionTokens?: number;
  promptTokens?: number;
  compare?: string;
  /** What a server calls the model that plays, where an address stands for a run. */
  model?: string;
  /** Its key: in memory alone. */
  apiKey?: string;
  /** Where the servers of worlds are, over what the environment says. */
  connect?: Connections;
  print(line: string): void;
}

export interface FoundSuite {
  module: WorldModule;
  suite: WorldSuite;
}

const allSuites = (): FoundSuite[] =>
  worldModules.flatMap((module) => (module.suites ?? []).map((suite) => ({ module, suite })));

export const suiteNames = (): string[] => allSuites().map(({ suite }) => suite.name);

export function findSuite(name: string): FoundSuite {
  const found = allSuites().find(({ suite }) => suite.name === name);
  if (!found) throw new CommandError(`There is no suite "${name}". Choose one of: ${suiteNames().join(', ')}.`);
  return found;
}

/** A run's file, or the folder that `npm run train` wrote it to. */
function runFile(path: string): string {
  if (!existsSync(path)) throw new CommandError(`There is no ${path}.`);
  if (!statSync(path).isDirectory()) return path;
  const file = join(path, 'run.tabgym');
  if (!existsSync(file))
    throw new CommandError(`${path} holds no run.tabgym: name a run's file, or the folder that npm run train wrote.`);
  return file;
}

/** The run's experiment on the suite's tasks and turns. */
function onSuite(experiment: Experiment, { module, suite }: FoundSuite, options: EvaluationOptions): Experiment {
  const { promptTokens, completionTokens } = options;
  return parseExperiment({
    ...experiment,
    stages: undefined,
    worlds: [{ name: module.name, weight: 1, options: suite.options }],
    horizon: [{ steps: experiment.steps, turns: suite.turns }],
    sampling: {
      ...experiment.sampling,
      promptTokens: promptTokens ?? experiment.sampling.promptTokens,
      completionTokens: completionTokens ?? experiment.sampling.completionTokens,
    },
  });
}

interface Played {
  policy: string;
  experiment: Experiment;
  items: ItemResult[];
}

const isAddress = (run: string) => /^https?:\/\//.test(run);

/** The first of the presets, with a served model for its policy. */
function experimentOfServed(address: string, model: string | undefined): Experiment {
  if (!model) throw new CommandError(`Name the model that ${address} is to play with: --model NAME.`);
  const preset = parseExperiment(presets[0]);
  const sampling = {
    ...preset.sampling,
    maskActions: false,
    maxTokensPerTurn: servedTokens,
    temperature: servedTemperature,
  };
  return parseExperiment({ ...preset, name: model, policy: asked(address, model), stages: undefined, sampling });
}

/** Room for a thought and an action: the most that an experiment gives a turn. */
const servedTokens = 256;

async function playedByServed(address: string, found: FoundSuite, options: EvaluationOptions): Promise<Played> {
  const experiment = onSuite(experimentOfServed(address, options.model), found, options);
  const machine = { open: () => openDevice(options) };
  const engines = new Assembly({
    machine,
    openWorld: openingWorlds(options.connect),
    apiKey: () => options.apiKey ?? null,
  });
  const signal = new AbortController().signal;
  const engine = await engines.open(experiment, {
    ...{ assets: null, purpose: 'watch' as const, choices: null, signal },
    onProgress: () => {},
  });
  try {
    const items = await engine.suite!(found.suite, samplingOf(options, found, experiment.sampling.temperature), {
      signal,
    });
    return { policy: `${options.model} at ${address}`, experiment, items };
  } finally {
    await engine.close();
  }
}

/** What models are usually asked at. */
const servedTemperature = 1;

const samplingOf = (options: EvaluationOptions, { module }: FoundSuite, own: number): SuiteSampling => ({
  world: module.name,
  samples: options.greedy ? 1 : options.samples,
  temperature: options.greedy ? 0 : (options.temperature ?? own),
  seed: options.seed,
});

async function played(path: string, found: FoundSuite, options: EvaluationOptions): Promise<Played> {
  if (isAddress(path)) return playedByServed(path, found, options);
  const file = runFile(path);
  const {
    experiment: document,
    checkpoints = [],
    assets = {},
    name,
  } = readRun(new Uint8Array(readFileSync(file)), file);
  const last = checkpoints.toSorted((a, b) => a.meta.step - b.meta.step).at(-1);
  if (!last) throw new CommandError(`${file} holds no checkpoint: export the run again, with its last step.`);
  const run = parseExperiment(document);
  const experiment = onSuite(run, found, options);
  const machine = { open: () => openDevice(options) };
  const engines = new Assembly({ machine, openWorld: openingWorlds(options.connect), models: new NodeBaseModels() });
  const signal = new AbortController().signal;
  // The text's tokens are the run's; its config has another room.
  const engine = await engines.open(experiment, {
    assets: { 'tokenizer.json': assets['tokenizer.json'] },
    purpose: 'train',
    choices: null,
    onProgress: () => {},
    signal,
  });
  try {
    if (!engine.suite) throw new CommandError(`The policy of ${file} plays in the page only.`);
    await engine.load(decodeState(last.bytes, last.meta.optimizerStep));
    const sampling = samplingOf(options, found, run.sampling.temperature);
    const items = await engine.suite(found.suite, sampling, { signal });
    return { policy: `${name}, step ${last.meta.step}`, experiment, items };
  } finally {
    await engine.close();
  }
}

/** The report of one policy, or of two on the same items. */
export async function evaluate(
  options: EvaluationOptions,
): Promise<{ report: SuiteReport; columns: readonly string[] }> {
  const found = findSuite(options.suite);
  const ours = await played(options.run, found, options);
  const other = options.compare ? await played(options.compare, found, options) : undefined;
  const report = suiteReport({
    suite: found.suite,
    policy: ours.policy,
    settings: {
      samples: options.greedy ? 1 : options.samples,
      temperature: options.greedy ? 0 : (options.temperature ?? ours.experiment.sampling.temperature),
      greedy: options.greedy,
      masked: ours.experiment.sampling.maskActions,
      seed: options.seed,
    },
    items: ours.items,
    turns: options.turns,
    other,
  });
  return { report, columns: found.suite.columns };
}

/** evaluation.json, .csv, .md, and a plot each as SVG. */
export function writeReport(report: SuiteReport, columns: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const plots = Object.entries(reportPlots(report)).map(([name, svg]): [string, string] => [`${name}.svg`, svg]);
  const files: [string, string][] = [
    ['evaluation.json', reportJson(report)],
    ['evaluation.csv', reportCsv(report)],
    ['evaluation.md', reportMarkdown(report, columns)],
    ...plots,
  ];
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return files.map(([name]) => join(folder, name));
}

export { reportText };
