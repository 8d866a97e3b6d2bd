/**
 * A run as one HTML file that opens anywhere, without scripts and requests: settings, curves, evaluations, episodes,
 * numbers. Pure: the page and the command line (`npm run report`) both write it. All content of a run is escaped,
 * because a run may come from anybody.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { Rate, StepRecord } from '../../rl/evaluation/evaluation.ts';
import { escapeXml, type LineChart, lineSvg } from '../../rl/evaluation/svg-chart.ts';
import { metrics } from '../../rl/metrics/metrics.ts';

/** The report's own texts, in the reader's language. */
export interface ReportTexts {
  lang: string;
  settings: string;
  curves: string;
  evaluations: string;
  episodes: string;
  numbers: string;
  step: string;
  task: string;
  action: string;
  answer: string;
  reward: string;
  success: string;
  failure: string;
  policy: string;
  chance: string;
  oracle: string;
  training: string;
  heldOut: string;
  metric: string;
  value: string;
  unit: string;
  meaning: string;
  made: string;
  /** Description of a metric of the registry. */
  sentence(name: string, text: string): string;
}

const englishWords: ReportTexts = {
  lang: 'en',
  settings: 'Settings',
  curves: 'Curves',
  evaluations: 'Evaluations',
  episodes: 'Episodes',
  numbers: 'Numbers of the last step',
  step: 'Step',
  task: 'Task',
  action: 'Action',
  answer: 'The world’s answer',
  reward: 'Reward',
  success: 'success',
  failure: 'no success',
  policy: 'Policy',
  chance: 'Chance',
  oracle: 'Oracle',
  training: 'Training goals',
  heldOut: 'Held-out goals',
  metric: 'Metric',
  value: 'Value',
  unit: 'Unit',
  meaning: 'Meaning',
  made: 'Made with Tabgym. Success is beside chance: a uniform choice among the same actions; brackets are 95% intervals.',
  sentence: (_, text) => text,
};

export interface ReportedRun {
  name: string;
  experiment: Experiment;
  records: readonly StepRecord[];
  /** Trajectories of the last step that has them: one success and one failure, if they exist. */
  trajectories: readonly Trajectory[];
  charts: readonly LineChart[];
}

const style = `:root{color-scheme:light}body{font:14px/1.5 system-ui,sans-serif;color:#1b1d20;max-width:1000px;margin:24px auto;padding:0 16px}
h1{font-size:24px}h2{font-size:17px;margin-top:28px}table{border-collapse:collapse;width:100%;font-size:13px}th,td{border-bottom:1px solid #ddd;padding:3px 8px;text-align:start;vertical-align:top}
td.n{text-align:end;font-variant-numeric:tabular-nums}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f3f3ef;padding:10px;border-radius:6px;font-size:12px}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(460px,1fr));gap:12px}svg{max-width:100%;height:auto;border:1px solid #ddd;border-radius:6px}td.t{white-space:pre-wrap;overflow-wrap:anywhere}p.small{color:#575b61;font-size:12px}`;

/**
 * A number of a record as text. The records of an imported run may contain any JSON, so everything except a finite
 * number becomes a dash.
 */
const number = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '–';
const fixed = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value.toFixed(3) : '–');
const count = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : '–');
const rateWords = (rate: Rate | null | undefined) =>
  rate ? `${fixed(rate.rate)} [${fixed(rate.low)}, ${fixed(rate.high)}] (${count(rate.episodes)})` : '–';
const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const heads = (...cells: string[]) =>
  `<thead><tr>${cells.map((cell) => `<th scope="col">${escapeXml(cell)}</th>`).join('')}</tr></thead>`;

function evaluationTable(records: readonly StepRecord[], words: ReportTexts): string {
  const evaluated = records.flatMap(({ step, evaluation }) => (evaluation ? [{ step, evaluation }] : []));
  if (!evaluated.length) return '';
  const rows = evaluated.flatMap(({ step, evaluation }) =>
    (['train', 'test'] as const).map((split) => {
      const { policy, chance, oracle } = evaluation[split];
      const goals = split === 'train' ? words.training : words.heldOut;
      return row(count(step), escapeXml(goals), rateWords(policy), rateWords(chance), rateWords(oracle));
    }),
  );
  return `<h2>${escapeXml(words.evaluations)}</h2><table>${heads(words.step, '', words.policy, words.chance, words.oracle)}<tbody>${rows.join('')}</tbody></table>`;
}

function episodeTable({ task, prompt, turns, success, score }: Trajectory, words: ReportTexts): string {
  const rows = turns.map(
    ({ action, observation, reward }, index) =>
      `<tr><td class="n">${index + 1}</td><td class="t">${escapeXml(action)}</td><td class="t">${escapeXml(observation)}</td><td class="n">${number(reward)}</td></tr>`,
  );
  return `<h3>${success ? '✓' : '✕'} ${escapeXml(success ? words.success : words.failure)}, ${number(score)}</h3>
<p class="small">${escapeXml(words.task)}: ${escapeXml(`${task.world} ${task.id}`)}</p><pre>
${escapeXml(prompt)}</pre>
<table>${heads('', words.action, words.answer, words.reward)}<tbody>${rows.join('')}</tbody></table>`;
}

/** One success and one failure show more than two similar episodes. */
function shownEpisodes(trajectories: readonly Trajectory[]): Trajectory[] {
  const longest = [...trajectories].sort((a, b) => b.turns.length - a.turns.length);
  return [longest.find(({ success }) => success), longest.find(({ success }) => !success)].filter(
    (each) => each !== undefined,
  );
}

function numberTable(records: readonly StepRecord[], words: ReportTexts): string {
  const last = records.at(-1);
  if (!last) return '';
  const rows = metrics
    .filter(({ name }) => last.metrics[name] !== undefined)
    .map(({ name, unit, sentence }) =>
      row(`<code>${name}</code>`, number(last.metrics[name]), unit, escapeXml(words.sentence(name, sentence))),
    );
  return `<h2>${escapeXml(words.numbers)}</h2><table>${heads(words.metric, words.value, words.unit, words.meaning)}<tbody>${rows.join('')}</tbody></table>`;
}

export function runReport(
  { name, experiment, records, trajectories, charts }: ReportedRun,
  words: ReportTexts = englishWords,
): string {
  const last = records.at(-1)?.step ?? 0;
  const episodes = shownEpisodes(trajectories).map((each) => episodeTable(each, words));
  return `<!doctype html>
<html lang="${words.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeXml(name)}</title><style>${style}</style></head>
<body><h1>${escapeXml(name)}</h1><p>${escapeXml(experiment.description ?? '')}</p><p class="small">${escapeXml(words.step)} ${count(last)} / ${count(experiment.steps)}. ${escapeXml(words.made)}</p>
${charts.length ? `<h2>${escapeXml(words.curves)}</h2><div class="charts">${charts.map(lineSvg).join('')}</div>` : ''}
${evaluationTable(records, words)}
${episodes.length ? `<h2>${escapeXml(words.episodes)}</h2>${episodes.join('')}` : ''}
${numberTable(records, words)}
<h2>${escapeXml(words.settings)}</h2><pre>
${escapeXml(JSON.stringify(experiment, null, 2))}</pre>
</body></html>
`;
}
