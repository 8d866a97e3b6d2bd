/**
 * Writes the folder of a shipped agent from its trained run: packs the run, plays its suites with the packed weights
 * (sampled and greedy, beside chance and the oracle), and writes its card. Finished evaluations are kept until the
 * folder is written, so that the same call continues.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { readRun } from '../../library/files.ts';
import { packStoredRun } from '../../library/node/packed-run.ts';
import { downloadBytes, findModel } from '../../policy/catalogue.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { gainOf } from '../../rl/evaluation/gain.ts';
import type { SuiteReport } from '../../rl/evaluation/suite-report.ts';
import { rowsOf, underRule } from '../../rl/evaluation/suite-results.ts';
import {
  AGENT_FORMAT,
  type AgentBase,
  GALLERY_FORMAT,
  readAgent,
  type ShippedAgent,
  type SuiteTable,
} from '../../session/shipped-agent.ts';
import { evaluate, writeReport } from '../evaluation.ts';
import type { DeviceOptions } from '../node-device.ts';
import { readDocument, type TrainedRun } from '../training-run.ts';
import { writeWhole } from '../whole-files.ts';
import { cardOf, curvesOf, formatTurns, listedOf, partsOf } from './card.ts';
import { ownTable } from './own-table.ts';
import type { AgentRecipe } from './recipe.ts';

export interface ShipOptions extends DeviceOptions {
  /** Folder of the runs and, until they are complete, the evaluations. */
  work: string;
  /** Folder of the site; each agent gets a folder in it. */
  site: string;
  /** Seed for sampling in the suites. */
  seed: number;
  print(line: string): void;
}

/**
 * Sums a metric over all steps. A record counts for all steps since the record before, because a fork of a shipped
 * agent has records of every few steps only.
 */
const sum = (records: readonly StepRecord[], metric: string) =>
  records.reduce(
    (total, { step, metrics }, i) => total + (step - (records[i - 1]?.step ?? 0)) * (metrics[metric] ?? 0),
    0,
  );

/** Training cost according to the records. A forked run includes those of its parent. */
export function costOf(
  records: readonly StepRecord[],
  run: Pick<TrainedRun, 'step'>,
  device: string,
): ShippedAgent['cost'] {
  return {
    steps: run.step,
    flops: sum(records, 'flops'),
    hours: Number((sum(records, 'stepMs') / 3.6e6).toFixed(3)),
    episodes: sum(records, 'demonstrations') + sum(records, 'episodes'),
    device,
    processor: cpus()[0]?.model ?? 'unknown',
  };
}

/** The report with each try that ran out of room as a failure: an agent that ships must come to an end by itself. */
export function withRoomlessFailures(report: SuiteReport, columns: readonly string[]): SuiteReport {
  const items = report.items.map((item) => ({ ...item, tries: item.tries.map((one) => underRule(one, 'failure')) }));
  return { ...report, items, rows: rowsOf(items, columns) };
}

const roomlessOf = ({ items }: SuiteReport): number =>
  items.flatMap(({ tries }) => tries).filter(({ overflowed = false }) => overflowed).length;

function tableOf({ suite, settings, rows, published }: SuiteReport, columns: readonly string[]): SuiteTable {
  const { name, label, sentence, standIn } = suite;
  const { greedy, samples, temperature, masked } = settings;
  return {
    ...{ name, label, sentence, greedy, samples, temperature, masked, rows },
    limit: suite.turns === null ? "each task's own turns" : formatTurns(suite.turns),
    standIn: standIn ?? null,
    published: published
      ? {
          source: published.source,
          differs: published.differs,
          columns: [...columns],
          rows: published.rows.map((row) => [...row] as [string, ...number[]]),
        }
      : null,
  };
}

/** Plays each suite twice: sampled at the run's own temperature, then greedy. */
async function suitesOf(recipe: AgentRecipe, file: string, options: ShipOptions): Promise<SuiteTable[]> {
  const tables: SuiteTable[] = [];
  for (const { name: suite, samples, turns, promptTokens, completionTokens } of recipe.suites) {
    for (const greedy of [false, true]) {
      const out = join(options.work, `${suite}-${greedy ? 'greedy' : 'sampled'}`);
      options.print(`${suite}, ${greedy ? 'greedy' : 'sampled'} ...`);
      const request = { suite, samples, turns, promptTokens, completionTokens, greedy, seed: options.seed, out };
      const { device, threads, print } = options;
      const { report: played, columns } = await evaluate({ ...request, run: file, device, threads, print });
      writeReport(played, columns, out);
      const roomless = roomlessOf(played);
      const report = withRoomlessFailures(played, columns);
      tables.push({ ...tableOf(report, columns), ...(roomless && { roomless }) });
      const { success, chance, oracle } = report.rows.at(-1)!;
      const ceiling = oracle ? `, oracle ${oracle.mean.toFixed(3)}` : '';
      options.print(
        `${suite}, ${greedy ? 'greedy' : 'sampled'}: success ${success.mean.toFixed(3)} [${success.low.toFixed(3)}, ${success.high.toFixed(3)}], chance ${chance.mean.toFixed(3)}${ceiling}`,
      );
    }
  }
  return tables;
}

/** The sampled result of the first suite, in one line. */
function headlineOf([table]: readonly SuiteTable[]): ShippedAgent['headline'] {
  if (!table) return null;
  const { success, score, chance, oracle } = table.rows.at(-1)!;
  return { label: table.label, success, score, chance: chance.mean, oracle: oracle?.mean ?? null };
}

/**
 * The language model of the recipe's last experiment; null: the policy has none, or needs no weights. Throws
 * UnknownModelError if it is not a listed one.
 */
function baseOf({ experiments }: AgentRecipe): AgentBase | null {
  const { policy } = readDocument(experiments.at(-1)!);
  if (!('weights' in policy)) return null;
  const entry = findModel(policy.model);
  const { id: model, repository, licence } = entry;
  return { model, repository, licence, precision: policy.weights, bytes: downloadBytes(entry) };
}

/** Worlds of an agent that has several. */
function worldsOf({ worlds }: Pick<Experiment, 'worlds'>): { worlds?: string[] } {
  const names = [...new Set(worlds.map(({ name }) => name))];
  return names.length > 1 ? { worlds: names } : {};
}

/** Limits of an agent: those of its recipe, after a sentence of its own if its training was stopped early. */
function limitsOf(step: number, steps: number, limits: readonly string[]): string[] {
  const stopped = `Its training was stopped at step ${step} of ${steps}; what comes after is not in it.`;
  return step < steps ? [stopped, ...limits] : [...limits];
}

/** Writes the agent's folder and the gallery's list. */
export async function ship(recipe: AgentRecipe, run: TrainedRun, options: ShipOptions): Promise<ShippedAgent> {
  const { name, title, world, summary, firstTask, reward, data, limits, differs, improve } = recipe;
  const base = baseOf(recipe);
  const packed = await packStoredRun(options.work, run.id, base?.model);
  const folder = join(options.site, name);
  mkdirSync(folder, { recursive: true });
  const file = `${name}.tabgym`;
  writeWhole(join(folder, file), packed.bytes);
  const { records } = packed;
  const suites = [...(await suitesOf(recipe, join(folder, file), options)), ...ownTable(run.experiment, records)];
  const gain = gainOf(records);
  const agent: ShippedAgent = {
    ...{ format: AGENT_FORMAT, name, title, world, summary, file, data, differs, improve },
    ...worldsOf(run.experiment),
    ...(base ? { base } : {}),
    bytes: packed.bytes.byteLength,
    headline: headlineOf(suites),
    ...(gain ? { gain } : {}),
    ...(reward ? { reward } : {}),
    ...(firstTask === undefined ? {} : { firstTask }),
    policy: { parameters: packed.parameters, words: packed.words, weights: '16-bit floats' },
    cost: costOf(records, run, packed.device),
    parts: partsOf(run.experiment, run.step),
    suites,
    limits: limitsOf(run.step, run.experiment.steps, limits),
  };
  writeWhole(join(folder, 'curves.svg'), curvesOf(agent, records));
  writeCard(agent, options.site);
  return agent;
}

/** Writes an agent's document, its card and the gallery's list. */
function writeCard(agent: ShippedAgent, site: string): void {
  const folder = join(site, agent.name);
  writeWhole(join(folder, 'agent.json'), `${JSON.stringify(agent, null, 1)}\n`);
  writeWhole(join(folder, 'card.md'), cardOf(agent));
  writeGallery(site);
}

/**
 * Writes the card of a shipped agent again, with the sentences of its recipe and the gain that the shipped run shows.
 * Its run and its results stay as they are.
 */
export function rewriteCard(recipe: AgentRecipe, site: string): ShippedAgent {
  const file = join(site, recipe.name, 'agent.json');
  const { gain: _gain, reward: _reward, ...shipped } = readAgent(JSON.parse(readFileSync(file, 'utf8')), file);
  const { title, summary, data, limits, differs, improve, reward } = recipe;
  const path = join(site, recipe.name, shipped.file);
  const run = readRun(new Uint8Array(readFileSync(path)), path);
  const gain = gainOf(run.records);
  const experiment = parseExperiment(run.experiment);
  const agent = {
    ...worldsOf(experiment),
    ...{
      ...shipped,
      title,
      summary,
      data,
      differs,
      improve,
      limits: limitsOf(shipped.cost.steps, experiment.steps, limits),
    },
    ...(gain ? { gain } : {}),
    ...(reward ? { reward } : {}),
  };
  writeCard(agent, site);
  return agent;
}

/** Writes the list of all agents in the folder, by name. */
function writeGallery(site: string): void {
  const names = readdirSync(site).filter((name) => existsSync(join(site, name, 'agent.json')));
  const agents = names.sort().map((name) => {
    const file = join(site, name, 'agent.json');
    return listedOf(readAgent(JSON.parse(readFileSync(file, 'utf8')), file));
  });
  writeWhole(join(site, 'index.json'), `${JSON.stringify({ format: GALLERY_FORMAT, agents }, null, 1)}\n`);
}
