/** Report of a run in the page's language: labels and charts for `session/report/`. Loaded on demand. */
import { msg } from '@lit/localize';
import { type ReportTexts, runReport } from '../../library/report.ts';
import type { RunSummary, StepRecord, TrainerApi } from '../../session/protocol.ts';
import { currentLocale } from '../kit/locale.ts';
import { metricSentence } from '../state/labels.ts';
import { chartsOf, rewardColumns } from '../state/reward-parts.ts';
import { charts, measuresSignal } from '../state/series.ts';
import { recordedWorlds, withWorlds } from '../state/world-chart.ts';
import { plainView } from '../state/x-axis.ts';
import { chartOf } from './save-chart.ts';

const words = (): ReportTexts => ({
  lang: currentLocale(),
  settings: msg('Settings'),
  curves: msg('Curves'),
  evaluations: msg('Evaluations'),
  episodes: msg('Episodes'),
  numbers: msg('Numbers of the last step'),
  step: msg('Step'),
  task: msg('Task'),
  action: msg('Action'),
  answer: msg('The world’s answer'),
  reward: msg('Reward'),
  success: msg('success'),
  failure: msg('failure'),
  policy: msg('Policy'),
  chance: msg('Chance'),
  oracle: msg('Oracle'),
  training: msg('Training goals'),
  heldOut: msg('Held-out goals'),
  metric: msg('Metric'),
  value: msg('Value'),
  unit: msg('Unit'),
  meaning: msg('Meaning'),
  made: msg(
    'Made with Tabgym. Chance is the success rate of uniform choices among the same actions. Brackets are 95% intervals.',
  ),
  sentence: metricSentence,
});

/** Colours of the report: the light values of kit/styles/tokens.css, whatever the page's theme. */
const paper: { readonly [token: string]: string } = {
  '--series-1': '#2759cf',
  '--series-2': '#b34d05',
  '--series-3': '#0d7567',
  '--series-4': '#7338c4',
  '--series-5': '#ad2a68',
  '--series-chance': '#65696f',
  '--series-oracle': '#0e6b37',
};

/** Episodes of the newest of the last 20 steps whose episodes are still stored. */
async function lastEpisodes(api: TrainerApi, { id }: RunSummary, records: readonly StepRecord[]) {
  for (const { step } of records
    .filter((record) => record.step > 0)
    .slice(-20)
    .reverse()) {
    const detail = await api.stepDetail(id, step).catch(() => null);
    if (detail?.trajectories.length) return detail.trajectories;
  }
  return [];
}

export async function pageReport(api: TrainerApi, run: RunSummary, records: readonly StepRecord[]): Promise<Blob> {
  const drawn = records.length
    ? withWorlds(chartsOf(rewardColumns(records), charts(measuresSignal(records))), recordedWorlds(records)).map(
        (spec) => chartOf(spec, records, plainView, (token) => paper[token] ?? '#333'),
      )
    : [];
  const trajectories = await lastEpisodes(api, run, records);
  const { name, experiment } = run;
  return new Blob([runReport({ name, experiment, records, trajectories, charts: drawn }, words())], {
    type: 'text/html',
  });
}
