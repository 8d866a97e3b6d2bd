/** A run's last policy on a suite of a world: played, put in tables, compared with another's. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseExperiment } from '../experiment/experiment.ts';
import { asked } from '../experiment/policies/api.ts';
import { presets } from '../experiment/presets.ts';
import {
  reportCsv,
  reportJson,
  reportMarkdown,
  reportPlots,
  reportText,
  type SuiteReport,
} from '../rl/evaluation/suite-report.ts';
import type { ItemResult } from '../rl/evaluation/suite-results.ts';
import {
  type EvaluatedPolicy,
  findSuite,
  type PlayedSuite,
  playSuite,
  suiteNames,
  suiteReportOf,
} from '../session/evaluation/suite-evaluation.ts';
import type { SuiteRequest } from '../session/evaluation-protocol.ts';
import { Assembly } from '../session/service/assembly.ts';
import { readRun } from '../store/bundle.ts';
import { crc32 } from '../store/crc32.ts';
import { NodeBaseModels } from './base-models.ts';
import { type Connections, openingWorlds } from './connections.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { CommandError } from './training-run.ts';

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
  /** Where the report goes, and until then what was played: the same command goes on. */
  out?: string;
  /** What a server calls the model that plays, where an address stands for a run. */
  model?: string;
  /** Its key: in memory alone. */
  apiKey?: string;
  /** Where the servers of worlds are, over what the environment says. */
  connect?: Connections;
  print(line: string): void;
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

/** The run's policy, after its last step. */
function policyOf(path: string): EvaluatedPolicy {
  const file = runFile(path);
  const run = readRun(new Uint8Array(readFileSync(file)), file);
  const checkpoint = (run.checkpoints ?? []).toSorted((a, b) => a.meta.step - b.meta.step).at(-1);
  if (!checkpoint) throw new CommandError(`${file} holds no checkpoint: export the run again, with its last step.`);
  const experiment = parseExperiment(run.experiment);
  return { name: run.name, experiment, tokenizer: run.assets?.['tokenizer.json'], checkpoint };
}

const isAddress = (run: string) => /^https?:\/\//.test(run);

/** Room for a thought and an action: the most that an experiment gives a turn. */
const servedTokens = 256;

/** What models are usually asked at. */
const servedTemperature = 1;

/** The first of the presets, with a served model for its policy. */
function servedPolicy(address: string, model: string | undefined): EvaluatedPolicy {
  if (!model) throw new CommandError(`Name the model that ${address} is to play with: --model NAME.`);
  const preset = parseExperiment(presets[0]);
  const sampling = {
    ...preset.sampling,
    maskActions: false,
    maxTokensPerTurn: servedTokens,
    temperature: servedTemperature,
  };
  const policy = asked(address, model);
  const experiment = parseExperiment({ ...preset, name: model, policy, stages: undefined, sampling });
  return { name: `${model} at ${address}`, experiment, tokenizer: undefined, checkpoint: null };
}

/** Where what was played is kept until the report is written: `file` of a folder, for this very request and policy. */
export class PartialItems {
  private readonly key: string;

  constructor(
    private readonly file: string | null,
    policy: EvaluatedPolicy,
    request: SuiteRequest,
  ) {
    const { checkpoint, name } = policy;
    const weights = checkpoint && [checkpoint.meta.step, crc32(checkpoint.bytes)];
    this.key = JSON.stringify([name, weights, request]);
  }

  /** Nothing where there is none, or another's. */
  read(): ItemResult[] {
    if (!this.file || !existsSync(this.file)) return [];
    try {
      const { key, items } = JSON.parse(readFileSync(this.file, 'utf8'));
      return key === this.key ? items : [];
    } catch {
      return [];
    }
  }

  /** Whole or not at all: a neighbour is written and renamed over it. */
  write(items: readonly ItemResult[]): void {
    if (!this.file) return;
    writeFileSync(`${this.file}.part`, JSON.stringify({ key: this.key, items }));
    renameSync(`${this.file}.part`, this.file);
  }
}

async function played(path: string, which: string, options: EvaluationOptions): Promise<PlayedSuite> {
  const { out, print, run: _, compare: _other, device, threads, connect, model, apiKey, ...request } = options;
  const asked: SuiteRequest = { ...request, temperature: request.temperature ?? null };
  const policy = isAddress(path) ? servedPolicy(path, model) : policyOf(path);
  const machine = { open: () => openDevice({ device, threads }) };
  const engines = new Assembly({
    machine,
    openWorld: openingWorlds(connect),
    models: new NodeBaseModels(),
    modelSettings: () => ({ token: apiKey }),
  });
  if (out) mkdirSync(out, { recursive: true });
  const partial = new PartialItems(out ? join(out, `partial-${which}.json`) : null, policy, asked);
  const kept = partial.read();
  if (kept.length) print(`going on after ${kept.length} items`);
  const { signal } = new AbortController();
  return playSuite(engines, policy, asked, { signal, kept, onItems: (items) => partial.write(items) });
}

/** The report of one policy, or of two on the same items. */
export async function evaluate(
  options: EvaluationOptions,
): Promise<{ report: SuiteReport; columns: readonly string[] }> {
  const { columns } = findSuite(options.suite).suite;
  const ours = await played(options.run, 'ours', options);
  const other = options.compare ? await played(options.compare, 'other', options) : undefined;
  return { report: suiteReportOf(ours, { ...options, temperature: options.temperature ?? null }, other), columns };
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
  for (const which of ['ours', 'other']) rmSync(join(folder, `partial-${which}.json`), { force: true });
  return files.map(([name]) => join(folder, name));
}

export { reportText, suiteNames };
