/**
 * Reproduces a figure of the paper: plans, trains and evaluates its sweeps, resumably, and writes docs/figures as JSON,
 * Markdown and SVG.
 */
import { join } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { writePath } from '../experiment/paths.ts';
import type { SweptRun } from '../library/index.ts';
import { playPolicy, policyOfFolder, type SuiteRequest } from '../library/node/evaluation.ts';
import { sum } from '../rl/common/numbers.ts';
import { fallOf, signalLabels } from '../rl/evaluation/fall.ts';
import type { Estimate } from '../rl/evaluation/statistics.ts';
import { type ItemResult, passCurve, turnCurve } from '../rl/evaluation/suite-results.ts';
import { type EstimateLine, estimateSvg } from '../rl/evaluation/svg-chart.ts';
import { meanCurve, type SweepReport, sweepPlot, sweepTable } from '../rl/evaluation/sweep-report.ts';
import { interval, markdownTable, plain, type Table } from '../rl/evaluation/tables.ts';
import { worldModule } from '../worlds/registry.ts';
import { PartialItems } from './evaluation.ts';
import { differenceBySeed, endLines, endTable, type RunEnd } from './figure-ends.ts';
import { type Figure, type FigureEvaluation, type FigureSweep, figureSweeps, figures } from './figures.ts';
import type { DeviceOptions } from './node-device.ts';
import { evaluationProgress, formatDuration } from './progress.ts';
import { SweepFolder } from './sweep-folder.ts';
import { CommandError, readDocument } from './training-run.ts';
import { writeFolder } from './whole-files.ts';

export interface ReproductionOptions extends DeviceOptions {
  figure: string;
  /** Folder of runs and evaluations; the same command continues from it. */
  work: string;
  /** Folder for the results. */
  out: string;
  seeds: readonly number[];
  /** Share of the steps of each run: 1 is the figure, less is a quick trial. */
  scale: number;
  /** If true, only measures and prints an estimate of the duration. */
  plan: boolean;
  print(line: string): void;
}

export const figureNames = figures.map(({ name }) => name);

function figureOf(name: string): Figure {
  const found = figures.find((each) => each.name === name);
  if (!found) throw new CommandError(`There is no figure "${name}". Choose one of: ${figureNames.join(', ')}.`);
  return found;
}

const sweepOf = (key: string): FigureSweep => figureSweeps.find((each) => each.key === key)!;

const scaled = (steps: number, scale: number) => Math.max(1, Math.round(steps * scale));
const scaledStages = <S extends { steps: number }>(stages: readonly S[], scale: number): S[] =>
  stages.map((stage) => ({ ...stage, steps: scaled(stage.steps, scale) }));

/** A variant's changes with its own steps and horizon scaled. */
const scaledChanges = (own: FigureSweep['changes'], scale: number) => ({
  ...own,
  ...(typeof own.steps === 'number' && { steps: scaled(own.steps, scale) }),
  ...(Array.isArray(own.horizon) && { horizon: scaledStages(own.horizon as Experiment['horizon'], scale) }),
});

/** The document of a figure's sweep, with steps, stages and evaluation interval scaled alike. */
export function figureDocument(
  { base, changes, variantsOf = base }: FigureSweep,
  { seeds, scale }: Pick<ReproductionOptions, 'seeds' | 'scale'>,
): Experiment {
  const read = (name: string) => readDocument(join('experiments', `${name}.json`));
  const file = read(base);
  const changed = Object.entries(changes).reduce<Experiment>(
    (made, [path, value]) => writePath(made, path, value),
    file,
  );
  const all = read(variantsOf).sweep?.variants ?? [];
  const { steps, horizon, stages, evaluation } = changed;
  return parseExperiment({
    ...changed,
    steps: scaled(steps, scale),
    horizon: scaledStages(horizon, scale),
    ...(stages && { stages: scaledStages(stages, scale) }),
    evaluation: { ...evaluation, every: scaled(evaluation.every, scale) },
    sweep: {
      seeds,
      variants: all.map(({ name, changes }) => ({ name, changes: scaledChanges(changes, scale) })),
    },
  });
}

interface Trained {
  sweep: FigureSweep;
  folder: SweepFolder;
}

const openSweeps = (figure: Figure, options: ReproductionOptions): Promise<Trained[]> =>
  Promise.all(
    figure.sweeps.map(sweepOf).map(async (sweep) => ({
      sweep,
      folder: await SweepFolder.open(figureDocument(sweep, options), join(options.work, sweep.key), options),
    })),
  );

/** Takes a step of each variant that has none yet, then estimates the total duration at that pace, in milliseconds. */
async function estimate(all: readonly Trained[], print: (line: string) => void): Promise<number> {
  let sum = 0;
  for (const { sweep, folder } of all) {
    for (const line of await folder.planLines()) print(line);
    if (await folder.isFinished()) continue;
    const runs = await folder.runs();
    const measured = runs.some(({ step }) => step > 0);
    const variants = folder.document.sweep!.variants.length;
    if (!measured)
      await folder.train(
        () => {},
        ({ done }) => done >= variants,
      );
    const left = (await folder.remainingMs()) ?? 0;
    print(`${sweep.key}: about ${formatDuration(left)}`);
    sum += left;
  }
  return sum;
}

/** Plays the items for one run's policy. Results are kept in a file, so that an interrupted call continues. */
async function evaluateRun(
  run: SweptRun,
  which: 'first' | 'last',
  evaluation: FigureEvaluation,
  { folder: { folder } }: Trained,
  machine: DeviceOptions,
  print: (line: string) => void,
): Promise<ItemResult[]> {
  const { suite, samples, turns, completionTokens, promptTokens } = evaluation;
  const request: SuiteRequest = {
    suite: suite.name,
    samples,
    greedy: false,
    temperature: null,
    seed: 1,
    turns,
    completionTokens,
    promptTokens,
  };
  const policy = await policyOfFolder(folder, run.id, which);
  const file = join(folder, `items-${suite.name}-${run.index}-${which}.json`);
  const partial = new PartialItems(file, policy, request);
  const { signal } = new AbortController();
  const found = { module: worldModule(policy.experiment.worlds[0].name), suite };
  const played = await playPolicy(
    machine,
    policy,
    request,
    { signal, kept: partial.read(), onProgress: evaluationProgress(print), onItems: (items) => partial.write(items) },
    found,
  );
  return played.items;
}

interface Curve {
  label: string;
  points: { x: number; estimate: Estimate }[];
  thin: { x: number; y: number }[][];
}

const checkpointLabels = { first: 'before training', last: 'trained' } as const;

/** A variant's runs at one checkpoint, each with its evaluated items. */
interface PlayedVariant {
  name: string;
  which: 'first' | 'last';
  played: { run: SweptRun; items: ItemResult[] }[];
}

/** Evaluates the runs, variant by variant. */
async function playedVariants(
  trained: Trained,
  evaluation: FigureEvaluation,
  machine: DeviceOptions,
  print: (line: string) => void,
): Promise<PlayedVariant[]> {
  const runs = await trained.folder.runs();
  const names = [...new Set(runs.map(({ variantName }) => variantName))].filter(
    (name) => evaluation.variant === undefined || name === evaluation.variant,
  );
  const all: PlayedVariant[] = [];
  for (const name of names)
    for (const which of evaluation.steps) {
      const played: PlayedVariant['played'] = [];
      for (const run of runs.filter(({ variantName }) => variantName === name)) {
        const items = await evaluateRun(run, which, evaluation, trained, machine, print);
        played.push({ run, items });
        print(`${run.name}, ${checkpointLabels[which]}: ${items.length} items`);
      }
      all.push({ name, which, played });
    }
  return all;
}

/** One curve per variant and checkpoint: the mean over the seeds' curves. */
function curvesOf(
  figure: Figure,
  { sweep }: Trained,
  { turns }: FigureEvaluation,
  variants: readonly PlayedVariant[],
): Curve[] {
  const curveOf = (items: readonly ItemResult[]) =>
    figure.curve === 'pass'
      ? passCurve(items).map(({ k, estimate: at }) => ({ x: k, y: at.mean }))
      : turnCurve(items, turns).map(({ turns: x, estimate: at }) => ({ x, y: at.mean }));
  return variants.map(({ name, which, played }) => {
    const thin = played.map(({ items }) => curveOf(items));
    return { label: `${sweep.label}, ${name}, ${checkpointLabels[which]}`, points: meanCurve(thin), thin };
  });
}

function curveTable(curves: readonly Curve[], at: string): Table {
  const xs = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  return {
    head: [at, ...curves.map(({ label }) => label)],
    rows: xs.map((x) => [
      String(x),
      ...curves.map(({ points }) => {
        const point = points.find((each) => each.x === x);
        return point ? interval(point.estimate) : '-';
      }),
    ]),
  };
}

/** Differences between the last variant and each other one, seed by seed: runs of the same seed have the same tasks. */
function differenceLines({ sweep, folder }: Trained, runs: readonly SweptRun[]): string[] {
  const metric = sweep.metric ?? 'success';
  const names = folder.document.sweep!.variants.map(({ name }) => name);
  const ends = runs.flatMap(({ variantName: variant, seed, records }) => {
    const test = records.findLast(({ evaluation }) => evaluation)?.evaluation?.test;
    return test ? [{ variant, seed, value: metric === 'score' ? test.score : test.policy.rate }] : [];
  });
  const last = names[names.length - 1];
  return names.slice(0, -1).map((name) => {
    const found = differenceBySeed(ends, last, name);
    const shown = metric === 'score' ? plain(found) : `${interval(found)} points`;
    return `${sweep.label}: ${last} less ${name}, held-out ${metric} after the last step: ${shown} over ${found.items} seeds.`;
  });
}

function fallSentences(runs: readonly SweptRun[]): string[] {
  const lines = runs.flatMap(({ name, records }) => {
    const fall = fallOf(records);
    if (!fall) return [];
    const first = fall.first ? `; ${signalLabels[fall.first.signal]} moved first` : '';
    return [`${name} fell by ${(100 * fall.by).toFixed(1)} points from step ${fall.from} on${first}.`];
  });
  return lines.length ? lines : ['No run fell from its best by more than chance.'];
}

interface Written {
  tables: { title: string; table: Table }[];
  plots: { [name: string]: string };
  came: string[];
  data: unknown[];
}

async function trainingResults(all: readonly Trained[], figure: Figure): Promise<Written> {
  const written: Written = { tables: [], plots: {}, came: [], data: [] };
  for (const trained of all) {
    const { sweep, folder } = trained;
    const report: SweepReport = await folder.report(sweep.metric);
    const runs = await folder.runs();
    written.tables.push({ title: `${sweep.label}: ${folder.document.name}`, table: sweepTable(report) });
    written.plots[all.length > 1 ? `${figure.name}-${sweep.key}` : figure.name] = sweepPlot({
      ...report,
      name: `${figure.title}: ${sweep.label}`,
    });
    written.came.push(...differenceLines(trained, runs), ...fallSentences(runs));
    written.data.push({ sweep: sweep.key, document: folder.document, report });
  }
  return written;
}

async function evaluationResults(
  figure: Figure,
  all: readonly Trained[],
  machine: DeviceOptions,
  print: (line: string) => void,
): Promise<Written> {
  const curves: Curve[] = [];
  for (const evaluation of figure.evaluations) {
    const trained = all.find(({ sweep }) => sweep.key === evaluation.sweep)!;
    const variants = await playedVariants(trained, evaluation, machine, print);
    curves.push(...curvesOf(figure, trained, evaluation, variants));
  }
  const pass = figure.curve === 'pass';
  const [x, y] = pass ? ['tries k', 'pass@k, %'] : ['turns', 'success within, %'];
  const lines: EstimateLine[] = curves;
  const came = curves.map(({ label, points }) => {
    const [first, last] = [points[0], points.at(-1)!];
    return `${label}: ${interval(first.estimate)} at ${first.x}, ${interval(last.estimate)} at ${last.x}.`;
  });
  const table = curveTable(curves, pass ? 'k' : 'turns');
  return {
    tables: [{ title: `${figure.title}, %`, table }],
    plots: { [figure.name]: estimateSvg({ title: figure.title, x, y, lines, logarithmic: pass }) },
    came,
    data: curves,
  };
}

/** The variants' success under one horizon, with what each cost, and within fewer turns. */
async function endResults(
  figure: Figure,
  all: readonly Trained[],
  machine: DeviceOptions,
  print: (line: string) => void,
): Promise<Written> {
  const written: Written = { tables: [], plots: {}, came: [], data: [] };
  for (const evaluation of figure.evaluations) {
    const trained = all.find(({ sweep }) => sweep.key === evaluation.sweep)!;
    const { label, key } = trained.sweep;
    const variants = await playedVariants(trained, evaluation, machine, print);
    const played = variants.flatMap((variant) => variant.played);
    const runs = played.map(({ run }) => run);
    const ends = played.map(({ run: { variantName: variant, seed, step: steps, records }, items }): RunEnd => {
      const [{ estimate: reached }] = turnCurve(items, [evaluation.suite.turns]);
      const operations = sum(records.map(({ metrics }) => metrics.flops ?? 0));
      return { variant, seed, steps, operations, success: reached.mean };
    });
    const curves = curvesOf(figure, trained, evaluation, variants);
    const title = `${label}: success within ${evaluation.suite.turns} turns`;
    written.tables.push({ title, table: endTable(ends) });
    written.tables.push({ title: `${label}: success against turns, %`, table: curveTable(curves, 'turns') });
    const axes = { x: 'turns', y: 'success within, %' };
    written.plots[all.length > 1 ? `${figure.name}-${key}` : figure.name] = estimateSvg({
      title: label,
      ...axes,
      lines: curves,
      logarithmic: false,
    });
    written.came.push(...endLines(label, ends), ...fallSentences(runs));
    written.data.push({ sweep: key, document: trained.folder.document, ends, curves });
  }
  return written;
}

function markdown(figure: Figure, { tables, plots, came }: Written, options: ReproductionOptions): string {
  const { seeds, scale } = options;
  const trial = scale === 1 ? '' : ` --scale ${scale}`;
  const shortened = scale === 1 ? [] : [`A trial: each run has ${scale} of the figure's steps.`];
  return [
    `# ${figure.title} (${figure.name})`,
    `\`npm run reproduce -- ${figure.name} --seeds ${seeds.join(',')}${trial}\``,
    ...shortened,
    `**Expected.** ${figure.expected}`,
    `**Different here.** ${figure.differs}`,
    `**Result.** ${came.join(' ')}`,
    ...Object.keys(plots).map((name) => `![${figure.title}](${name}.svg)`),
    ...tables.map(({ title, table }) => `## ${title}\n\n${markdownTable(table)}`),
    'Intervals are 95%, over seeds (Student).',
  ].join('\n\n');
}

function write(figure: Figure, written: Written, options: ReproductionOptions): string[] {
  const { out, seeds, scale } = options;
  const { expected, differs, name, title } = figure;
  const json = { figure: name, title, expected, differs, seeds, scale, came: written.came, results: written.data };
  const files: [string, string][] = [
    [`${name}.md`, `${markdown(figure, written, options)}\n`],
    [`${name}.json`, `${JSON.stringify(json, null, 1)}\n`],
    ...Object.entries(written.plots).map(([plot, svg]): [string, string] => [`${plot}.svg`, svg]),
  ];
  writeFolder(out, new Map(files));
  return files.map(([file]) => join(out, file));
}

/** Plans, trains and evaluates what is left, and writes the results. If interrupted, the same command continues. */
export async function reproduce(options: ReproductionOptions): Promise<{ finished: boolean }> {
  const { print } = options;
  const figure = figureOf(options.figure);
  print(`${figure.name}: ${figure.title}\nExpected: ${figure.expected}\nDifferent here: ${figure.differs}`);
  const all = await openSweeps(figure, options);
  all[0]?.folder.requireDevice(print);
  print(`training: about ${formatDuration(await estimate(all, print))} in all`);
  if (options.plan) return { finished: false };
  for (const { folder } of all) {
    if (!(await folder.isFinished())) await folder.train(print);
    if (!(await folder.isFinished())) {
      print('Stopped. Run the same command to continue.');
      return { finished: false };
    }
  }
  const evaluated = figure.curve === 'ends' ? endResults : evaluationResults;
  const written = figure.evaluations.length
    ? await evaluated(figure, all, options, print)
    : await trainingResults(all, figure);
  for (const file of write(figure, written, options)) print(file);
  for (const line of written.came) print(line);
  return { finished: true };
}
