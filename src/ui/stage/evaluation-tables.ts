/**
 * Tables of a suite report: success and score with intervals, success by tries and by turns, and the published results.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import type { Estimate } from '../../rl/evaluation/statistics.ts';
import type { SuiteReport } from '../../rl/evaluation/suite-report.ts';
import { agreementMetrics } from '../../rl/metrics/game-metrics.ts';
import type { OtherEvaluation } from '../control/evaluations.ts';
import { tryCount } from '../kit/counts.ts';
import { evaluatedLabel, metricSentence, suiteDiffers } from '../state/labels.ts';

const percent = (value: number) => (Number.isFinite(value) ? (100 * value).toFixed(1) : '–');
const estimate = ({ mean, low, high }: Estimate) =>
  html`<td class="number">${percent(mean)} <span class="soft">[${percent(low)}, ${percent(high)}]</span></td>`;
const head = (labels: readonly unknown[]) =>
  html`<thead><tr>${labels.map((label, i) => html`<th scope="col" class=${i ? 'number' : ''}>${label}</th>`)}</tr></thead>`;

/** Success and score for each column of the published table, with chance and oracle. */
export function mainTable({ rows }: SuiteReport) {
  return html`<div class="wide-table" tabindex="0" role="group" aria-label=${msg('Success and score')}><table>
    ${head([msg('Part'), msg('Items'), msg('Success, %'), msg('Score'), msg('Chance, %'), msg('Oracle, %'), ...(rows.some(({ guess }) => guess) ? [msg('Guessing oracle, %')] : [])])}
    <tbody>${rows.map(
      ({ label, items, success, score, chance, oracle, guess }) =>
        html`<tr><th scope="row">${evaluatedLabel(label)}</th><td class="number">${items}</td>${estimate(success)}
          <td class="number">${score.mean.toFixed(3)} <span class="soft">[${score.low.toFixed(3)}, ${score.high.toFixed(3)}]</span></td>
          <td class="number">${chance.items > 0 ? percent(chance.mean) : '–'}</td><td class="number">${oracle ? percent(oracle.mean) : '–'}</td>
          ${guess ? html`<td class="number">${percent(guess.mean)}</td>` : nothing}</tr>`,
    )}</tbody></table></div>`;
}

const measureLabels = (): { [metric in (typeof agreementMetrics)[number]['name']]: string } => ({
  agreements: msg('Agreements'),
  jointValue: msg('Joint value'),
  paretoOptimal: msg('Pareto optimal'),
  nashProduct: msg('Nash product'),
});

/** Measures of both seats of a game together, where a world has them. */
export function measuresTable({ rows }: SuiteReport) {
  const metrics = agreementMetrics.filter(({ name }) => rows.at(-1)?.measures?.[name]);
  if (!metrics.length) return nothing;
  const title = msg('Both seats together, %');
  return html`<h3>${title}</h3><div class="wide-table" tabindex="0" role="group" aria-label=${title}><table>
    ${head([msg('Part'), ...metrics.map(({ name, sentence }) => html`<span title=${metricSentence(name, sentence)}>${measureLabels()[name]}</span>`)])}
    <tbody>${rows.map(
      ({ label, measures }) =>
        html`<tr><th scope="row">${evaluatedLabel(label)}</th>${metrics.map(({ name }) => (measures?.[name] ? estimate(measures[name]) : html`<td class="number">–</td>`))}</tr>`,
    )}</tbody></table></div>`;
}

function byNumber(title: string, name: string, points: readonly { at: number; estimate: Estimate }[]) {
  if (!points.length) return nothing;
  return html`<div class="wide-table" tabindex="0" role="group" aria-label=${title}><h3>${title}</h3><table>
    ${head([name, ...points.map(({ at }) => at)])}
    <tbody><tr><th scope="row">${msg('Success, %')}</th>${points.map((point) => estimate(point.estimate))}</tr></tbody></table></div>`;
}

/** Published results, with ours in the first row. A column that was not evaluated shows a dash. */
function publishedTable({ suite, rows, published, policy }: SuiteReport, columns: readonly string[]) {
  if (!published) return nothing;
  const ours = (label: string) => percent(rows.find((row) => row.label === label)?.success.mean ?? Number.NaN);
  return html`<h3>${msg('Compared with published results, success in %')}</h3>
    <div class="wide-table" tabindex="0" role="group" aria-label=${msg('Published results')}><table>
      ${head([msg('Policy'), ...[...columns, 'All'].map(evaluatedLabel)])}
      <tbody><tr class="ours"><th scope="row">${policy}</th>${[...columns, 'All'].map((label) => html`<td class="number">${ours(label)}</td>`)}</tr>
      ${published.rows.map(
        ([model, ...numbers]) =>
          html`<tr><th scope="row">${model} <span class="badge">${msg('published')}</span></th>${numbers.map((value) => html`<td class="number">${value.toFixed(1)}</td>`)}</tr>`,
      )}</tbody></table></div>
    <p class="small soft">${published.source}. ${suiteDiffers(suite.name, published)}</p>`;
}

/** Newest report of each other run on the same suite and horizon. Decoding may differ; the table shows it. */
const newestBeside = (others: readonly OtherEvaluation[], { suite }: SuiteReport): OtherEvaluation[] => {
  const ofSuite = others.filter(({ report }) => report.suite.name === suite.name && report.suite.turns === suite.turns);
  return ofSuite.filter((each, i) => ofSuite.findIndex(({ run }) => run === each.run) === i);
};

/** Table of this run and other runs on the same suite. */
export function otherRunsTable(report: SuiteReport, others: readonly OtherEvaluation[]) {
  const beside = newestBeside(others, report);
  if (!beside.length) return nothing;
  const row = (name: string, { rows, settings, policy }: SuiteReport, ours: boolean) => {
    const all = rows.at(-1)!;
    const decoding = settings.greedy
      ? msg('greedy')
      : msg(str`${tryCount(settings.samples)} at temperature ${settings.temperature}`);
    return html`<tr class=${ours ? 'ours' : ''}><th scope="row">${name} <span class="soft">${policy}</span></th>
      ${estimate(all.success)}<td class="number">${all.score.mean.toFixed(3)}</td><td class="number">${all.items}</td><td>${decoding}</td></tr>`;
  };
  return html`<h3>${msg('Compared with other runs')}</h3>
    <div class="wide-table" tabindex="0" role="group" aria-label=${msg('Compared with other runs')}><table>
      ${head([msg('Run'), msg('Success, %'), msg('Score'), msg('Items'), msg('Decoding')])}
      <tbody>${row(msg('This run'), report, true)}${beside.map((each) => row(each.run, each.report, false))}</tbody></table></div>`;
}

export function comparedTables(report: SuiteReport, columns: readonly string[]) {
  const pass = report.passAtK.map(({ k, estimate: each }) => ({ at: k, estimate: each }));
  const turns = report.againstTurns.map((point) => ({ at: point.turns, estimate: point.estimate }));
  return html`${pass.length > 1 ? byNumber(msg('Success in at least one of k tries'), 'k', pass) : nothing}
    ${byNumber(msg(str`Success by number of turns allowed`), msg('Turns'), turns)} ${publishedTable(report, columns)}`;
}
