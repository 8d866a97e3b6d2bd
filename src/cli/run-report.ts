/**
 * `npm run report -- RUN.tabgym --out FILE.html`: writes a run as one HTML page that opens anywhere, with settings,
 * curves, evaluations, episodes and numbers. The page's Share writes the same with session/report/.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { parseExperiment } from '../experiment/experiment.ts';
import { readRun } from '../library/files.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import type { LineChart, SvgLine } from '../rl/evaluation/svg-chart.ts';
import { runReport } from '../session/report/run-report.ts';
import { fail } from './command-error.ts';
import { writeWhole } from './whole-files.ts';

const colors = ['#2759cf', '#65696f', '#0e6b37', '#7338c4'];

/** Charts of the report, with their metrics. */
const charts: readonly { title: string; names: readonly string[]; range: LineChart['range'] }[] = [
  { title: 'Success', names: ['success', 'chance', 'oracle'], range: [0, 1] },
  { title: 'Score', names: ['score'], range: null },
  { title: 'Entropy and KL', names: ['entropy', 'kl'], range: null },
  { title: 'Groups without signal', names: ['groupsWithoutSignal'], range: [0, 1] },
  { title: 'Gradient norm', names: ['gradNorm'], range: null },
];

const lineOf = (records: readonly StepRecord[], name: string, index: number): SvgLine => ({
  label: name,
  color: colors[index],
  points: records.map(({ step, metrics }) => [step, metrics[name] ?? null]),
});

export function reportOf(bytes: Uint8Array, file: string): string {
  const { name, experiment, records: steps, trajectorySteps, tokens } = readRun(bytes, file);
  const last = Math.max(...trajectorySteps);
  return runReport({
    name,
    experiment: parseExperiment(experiment),
    records: steps,
    trajectories: tokens(last),
    charts: charts.map(({ title, names, range }) => ({
      title,
      xLabel: 'Steps',
      range,
      lines: names.map((each, index) => lineOf(steps, each, index)),
    })),
  });
}

function main() {
  const program = new Command('report')
    .argument('<run>', 'a run, exported as .tabgym')
    .requiredOption('--out <file>', 'the HTML file to write')
    .parse();
  const [run] = program.args;
  writeWhole(program.opts<{ out: string }>().out, reportOf(readFileSync(run), basename(run)));
}

// Tests import `reportOf`, so the command line is read only if this file is run as a tool.
if (process.argv[1]?.endsWith('report.js')) {
  try {
    main();
  } catch (error) {
    fail(error as Error);
  }
}
