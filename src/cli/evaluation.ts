/**
 * Evaluates the last policy of a run on a suite of a world, tabulates the results and compares them with another
 * policy's.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseExperiment } from '../experiment/experiment.ts';
import { apiPolicy } from '../experiment/policies/api.ts';
import { presets } from '../experiment/presets.ts';
import { readRun } from '../library/files.ts';
import {
  type EvaluatedPolicy,
  evaluationKey,
  OWN_SUITE,
  type PlayedSuite,
  playPolicy,
  policyOfFile,
  type SuiteRequest,
  suiteFor,
  suiteNames,
  suiteReportOf,
} from '../library/node/evaluation.ts';
import {
  reportCsv,
  reportJson,
  reportMarkdown,
  reportPlots,
  reportText,
  type SuiteReport,
} from '../rl/evaluation/suite-report.ts';
import type { ItemResult } from '../rl/evaluation/suite-results.ts';
import type { Connections } from './connections.ts';
import type { DeviceOptions } from './node-device.ts';
import { evaluationProgress } from './progress.ts';
import { gainLines } from './report.ts';
import { CommandError } from './training-run.ts';
import { writeWhole } from './whole-files.ts';

export interface EvaluationOptions extends DeviceOptions {
  run: string;
  suite: string;
  samples: number;
  /** Also reports success within each of these numbers of turns. */
  turns: readonly number[];
  greedy: boolean;
  /** Default: the run's own. */
  temperature?: number;
  seed: number;
  /** Tokens for an episode after its prompt, if the run's limit is too small for the suite. */
  completionTokens?: number;
  promptTokens?: number;
  compare?: string;
  /**
   * Folder of the report. Until the report is written it also holds the items played so far, so that the same command
   * continues.
   */
  out?: string;
  /** The server's name for the model, if `run` is an address. */
  model?: string;
  /** Key of the server; kept in memory only. */
  apiKey?: string;
  /** Maximum number of tokens of one of the server's replies. */
  replyTokens?: number;
  /** Addresses of worlds' servers; they override the environment. */
  connect?: Connections;
  /** Ends the evaluation; finished tries are kept. */
  signal?: AbortSignal;
  print(line: string): void;
}

/** Path of a run's file, given the file or the folder that `npm run train` wrote. */
function runFile(path: string): string {
  if (!existsSync(path)) throw new CommandError(`There is no ${path}.`);
  if (!statSync(path).isDirectory()) return path;
  const file = join(path, 'run.tabgym');
  if (!existsSync(file))
    throw new CommandError(
      `${path} contains no run.tabgym: give a run's file, or the folder that npm run train wrote.`,
    );
  return file;
}

/** In place of another run: the same run after its last step of imitation. */
export const IMITATION = 'imitation';

/** Policy of the run after its last step, or after its imitation. */
function policyOf(path: string, which: 'last' | typeof IMITATION = 'last'): EvaluatedPolicy {
  const file = runFile(path);
  return policyOfFile(new Uint8Array(readFileSync(file)), file, which);
}

const isAddress = (run: string) => /^https?:\/\//.test(run);

/** Usual sampling temperature for served models. */
const servedTemperature = 1;

/** The first preset, with a served model as its policy. */
function servedPolicy(address: string, model: string | undefined, replyTokens: number | undefined): EvaluatedPolicy {
  if (!model) throw new CommandError(`${address} needs the name of a model: add --model NAME.`);
  const preset = parseExperiment(presets[0]);
  const sampling = {
    ...preset.sampling,
    maskActions: false,
    temperature: servedTemperature,
  };
  const policy = apiPolicy(address, model, replyTokens);
  const experiment = parseExperiment({ ...preset, name: model, policy, stages: undefined, sampling });
  return { name: `${model} at ${address}`, experiment, tokenizer: undefined, checkpoint: null };
}

const triesIn = (items: readonly ItemResult[]) => items.reduce((sum, { tries }) => sum + tries.length, 0);

/**
 * Stores the items played so far in `file` until the report is written. They are reused only for the same policy and
 * request.
 */
export class PartialItems {
  private readonly key: string;
  private played = false;

  constructor(
    private readonly file: string | null,
    policy: EvaluatedPolicy,
    request: SuiteRequest,
  ) {
    this.key = evaluationKey(policy, request);
  }

  /** A sentence on what is kept, after an interruption or a failure; null: nothing was played. */
  words(): string | null {
    const tries = triesIn(this.read());
    if (!this.file) return this.played ? 'Nothing is kept without --out FOLDER.' : null;
    return tries ? `${tries} tries are kept in ${dirname(this.file)}: the same command continues after them.` : null;
  }

  /** Returns the stored items, or none if the file is missing, damaged, or of another policy or request. */
  read(): ItemResult[] {
    if (!this.file || !existsSync(this.file)) return [];
    try {
      const { key, items } = JSON.parse(readFileSync(this.file, 'utf8'));
      return key === this.key ? items : [];
    } catch {
      return [];
    }
  }

  write(items: readonly ItemResult[]): void {
    this.played = true;
    if (!this.file) return;
    writeWhole(this.file, JSON.stringify({ key: this.key, items }));
  }
}

async function played(path: string, which: string, options: EvaluationOptions): Promise<PlayedSuite> {
  const {
    out,
    print,
    run,
    compare: _other,
    device,
    threads,
    connect,
    model,
    apiKey,
    replyTokens,
    signal,
    ...request
  } = options;
  const suiteRequest: SuiteRequest = { ...request, temperature: request.temperature ?? null };
  const own = path === IMITATION ? policyOf(run, IMITATION) : null;
  const policy = own ?? (isAddress(path) ? servedPolicy(path, model, replyTokens) : policyOf(path));
  const { policy: played } = policy.experiment;
  const modelKeys = apiKey && 'address' in played ? { [played.address]: apiKey } : undefined;
  if (out) mkdirSync(out, { recursive: true });
  const partial = new PartialItems(out ? join(out, `partial-${which}.json`) : null, policy, suiteRequest);
  const kept = partial.read();
  if (kept.length) print(`continuing after ${triesIn(kept)} tries of ${kept.length} items`);
  try {
    return await playPolicy({ device, threads, connect, modelKeys }, policy, suiteRequest, {
      signal: signal ?? new AbortController().signal,
      kept,
      onProgress: evaluationProgress(print),
      onItems: (items) => partial.write(items),
      onNotice: (message, complete) => print(`${complete ? 'info' : 'warning'}: ${message}`),
    });
  } catch (error) {
    const words = partial.words();
    if (words) print(words);
    throw error;
  }
}

/** Evaluates one policy, or two on the same items, and returns the report. */
export async function evaluate(
  options: EvaluationOptions,
): Promise<{ report: SuiteReport; columns: readonly string[] }> {
  const ours = await played(options.run, 'ours', options);
  const { columns } = suiteFor(options.suite, ours.experiment).suite;
  const other = options.compare ? await played(options.compare, 'other', options) : undefined;
  return { report: suiteReportOf(ours, { ...options, temperature: options.temperature ?? null }, other), columns };
}

/** Writes evaluation.json, .csv and .md, and each plot as SVG. Returns their paths. */
export function writeReport(report: SuiteReport, columns: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const plots = Object.entries(reportPlots(report)).map(([name, svg]): [string, string] => [`${name}.svg`, svg]);
  const files: [string, string][] = [
    ['evaluation.json', reportJson(report)],
    ['evaluation.csv', reportCsv(report)],
    ['evaluation.md', reportMarkdown(report, columns)],
    ...plots,
  ];
  for (const [name, text] of files) writeWhole(join(folder, name), text);
  for (const which of ['ours', 'other']) rmSync(join(folder, `partial-${which}.json`), { force: true });
  return files.map(([name]) => join(folder, name));
}

/** One line with the gain by reward that a run's file records; empty if it records none. */
export function gainOfRun(path: string): string[] {
  if (isAddress(path)) return [];
  const file = runFile(path);
  return gainLines(readRun(new Uint8Array(readFileSync(file)), file).records);
}

export { OWN_SUITE, reportText, suiteNames };
