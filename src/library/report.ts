/** A run as one HTML page, with the charts of a run's file. Our page gives `runReport` its own charts and language. */
import { parseExperiment } from '../experiment/experiment.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import type { LineChart, SvgLine } from '../rl/evaluation/svg-chart.ts';
import { type ReportTexts, runReport } from '../session/report/run-report.ts';

export { type ReportTexts, runReport };

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

/** A run's file, as `readRun` of `tabgym/files` reads it. */
interface ReportedFile {
  name: string;
  experiment: unknown;
  records: readonly StepRecord[];
  trajectorySteps: readonly number[];
  tokens(step: number): readonly Trajectory[];
}

export function reportOf({ name, experiment, records, trajectorySteps, tokens }: ReportedFile): string {
  return runReport({
    name,
    experiment: parseExperiment(experiment),
    records,
    trajectories: tokens(Math.max(...trajectorySteps)),
    charts: charts.map(({ title, names, range }) => ({
      title,
      xLabel: 'Steps',
      range,
      lines: names.map((each, index) => lineOf(records, each, index)),
    })),
  });
}
