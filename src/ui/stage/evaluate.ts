/**
 * EVALUATE: plays a suite with the run's policy, shows success rates with intervals next to the published ones, and
 * saves the report as a file.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { ownSuite } from '../../experiment/own-suite.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { reportCsv, reportJson, reportMarkdown, type SuiteReport } from '../../rl/evaluation/suite-report.ts';
import type { KeptEvaluation, RunEvaluations, SuiteRequest } from '../../session/evaluation-protocol.ts';
import { ownSuiteTexts } from '../../worlds/own-suite.ts';
import { worldModules } from '../../worlds/registry.ts';
import { allSuites } from '../../worlds/suites.ts';
import type { OtherEvaluation } from '../control/evaluations.ts';
import { Panel } from '../control/panel.ts';
import { itemCount, tryCount, turnCount } from '../kit/counts.ts';
import { download } from '../kit/download.ts';
import { fixed, gap } from '../kit/format.ts';
import { emptyState, errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { labelOfSuite, suiteLabel, suiteSentence, suiteStandIn, worldTitle } from '../state/labels.ts';
import { progressBar, progressText } from '../state/work-progress.ts';
import { comparedTables, mainTable, measuresTable, otherRunsTable } from './evaluation-tables.ts';

const positiveIntegers = (text: string) =>
  text
    .split(/[\s,]+/)
    .map(Number)
    .filter((value) => Number.isInteger(value) && value > 0);

const formats: readonly [extension: string, label: string, type: string][] = [
  ['json', 'JSON', 'application/json'],
  ['csv', 'CSV', 'text/csv'],
  ['md', 'Markdown', 'text/markdown'],
];

const suiteOption = (suite: { name: string; label: string }, chosen: string) =>
  html`<option value=${suite.name} ?selected=${suite.name === chosen}>${suiteLabel(suite)}</option>`;

@customElement('tabgym-evaluate')
export class TabgymEvaluate extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 12px;
        padding: 12px;
        align-content: start;
      }
      form {
        display: grid;
        gap: 8px;
      }
      .fields {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
        gap: 6px 14px;
        align-items: end;
      }
      .fields label {
        display: grid;
        gap: 2px;
        font-size: var(--size-s);
        color: var(--text-2);
      }
      .fields label.wide {
        grid-column: span 2;
      }
      .fields input,
      .fields select {
        width: 100%;
        min-width: 0;
      }
      .wide-table {
        overflow-x: auto;
      }
      td,
      th {
        white-space: nowrap;
      }
      tr.ours {
        font-weight: 650;
      }
      article {
        display: grid;
        gap: 8px;
        border-block-start: 1px solid var(--line);
        padding-block-start: 8px;
      }
      progress {
        max-width: 320px;
      }
    `,
  ];

  @state() private suite = '';
  @state() private greedy = false;
  @state() private shown = 0;
  @state() private others: readonly OtherEvaluation[] = [];
  private loadedOf: string | null = null;

  constructor() {
    super(['run', 'evaluations', 'evaluating', 'gpu', 'status']);
  }

  override connectedCallback() {
    super.connectedCallback();
    this.loadedOf = null;
  }

  protected override willUpdate() {
    const id = this.state.run?.id ?? null;
    if (id === this.loadedOf) return;
    this.loadedOf = id;
    this.shown = 0;
    const worlds = this.state.run?.experiment.worlds.map(({ name }) => name) ?? [];
    this.suite = allSuites().find(({ module }) => worlds.includes(module.name))?.suite.name ?? ownSuiteTexts.name;
    this.others = [];
    void this.app.evaluations.load();
    void this.loadOthers(id);
  }

  private async loadOthers(id: string | null) {
    const others = id === null ? [] : await this.app.evaluations.others();
    if (this.loadedOf === id) this.others = others;
  }

  override render() {
    const { run, evaluations } = this.state;
    if (!run || run.step < 0)
      return emptyState(msg('No run yet'), msg('Train or open a run to evaluate its policy on a suite.'));
    if (evaluations.state === 'error')
      return errorState(
        evaluations.message,
        html`<button @click=${() => this.app.evaluations.load()}>${msg('Try again')}</button>`,
      );
    if (evaluations.state !== 'ready') return loadingState(msg('Reading the evaluations'));
    return html`${this.renderForm(evaluations.value)} ${this.renderPlaying()} ${this.renderKept(evaluations.value.kept)}`;
  }

  /**
   * True if the policy cannot be trained (an ONNX model, or a model behind a server). It can be evaluated without a
   * training step and without a training device here.
   */
  private get playsOnly() {
    return !factsOf(this.state.run!.experiment.policy).trains;
  }

  private get isUntrained() {
    return this.state.run!.step === 0 && !this.playsOnly;
  }

  /** The run's own held-out tasks, then the suites of all worlds. */
  private get suites() {
    return [ownSuite(this.state.run!.experiment), ...allSuites()];
  }

  private get chosenSuite() {
    return this.suites.find(({ suite }) => suite.name === this.suite)!;
  }

  private renderForm({ cut }: RunEvaluations) {
    const { run, evaluating, gpu } = this.state;
    const { sampling } = run!.experiment;
    const { suite } = this.chosenSuite;
    const number = (name: string, label: string, value: number, extra = '') =>
      html`<label>${label}<input name=${name} type="number" min=${extra || 1} step=${name === 'temperature' ? '0.05' : '1'} .value=${String(value)} required /></label>`;
    return html`<form @submit=${this.begin}>
      <div class="fields">
        <label class="wide">${msg('Suite')}<select name="suite" @change=${this.chooseSuite}>${suiteOption(ownSuiteTexts, this.suite)}${worldModules.map(
          (module) =>
            module.suites?.length
              ? html`<optgroup label=${worldTitle(module.name)}>${module.suites.map((each) => suiteOption(each, this.suite))}</optgroup>`
              : nothing,
        )}</select></label>
        <label>${msg('Policy at')}<select name="step"><option value="">${msg(str`the last step`)}</option>${
          run!.best
            ? html`<option value=${run!.best.step}>${msg(str`step ${run!.best.step}, the best (${fixed(run!.best.success)})`)}</option>`
            : nothing
        }</select></label>
        <label>${msg('Decoding')}<select name="greedy" @change=${this.chooseDecoding}><option value="">${msg('sampled')}</option><option value="1" ?selected=${this.greedy}>${msg('greedy')}</option></select></label>
        ${this.greedy ? nothing : number('samples', msg('Tries per item'), 4)}
        ${this.greedy ? nothing : number('temperature', msg('Temperature'), sampling.temperature, '0.05')}
        ${number('seed', msg('Sampling seed'), 1)}
        <label>${msg('Other turn limits')}<input name="turns" inputmode="numeric" .value=${suite.turns === null ? '' : String(Math.ceil(suite.turns / 4))} placeholder="5, 10" /></label>
        ${number('promptTokens', msg('Prompt room, tokens'), sampling.promptTokens, '16')}
        ${number('completionTokens', msg('Episode room, tokens'), Math.max(sampling.completionTokens, 1024), '16')}
      </div>
      <p class="small soft">${suiteSentence(suite)}${gap()}${suite.standIn ? html`<strong>${msg('A stand-in:')}</strong>${gap()}${suiteStandIn(suite)}` : nothing}</p>
      ${cut && !evaluating ? html`<p class="message">${msg(str`The evaluation of step ${cut.step} on ${cut.request.suite} stopped after ${itemCount(cut.items)}.`)} <button type="button" class="link" @click=${() => this.app.evaluations.play(cut.request, cut.step)}>${msg('Continue the evaluation')}</button></p>` : nothing}
      <div class="row"><button class="primary" ?disabled=${evaluating !== null || (!gpu?.supported && !this.playsOnly) || this.isUntrained}>${msg('Evaluate')}</button>
        <span class="small soft">${this.isUntrained ? msg('Train a step first.') : msg('Training pauses during the evaluation.')}</span></div>
    </form>`;
  }

  private chooseSuite(event: Event) {
    this.suite = (event.target as HTMLSelectElement).value;
  }

  private chooseDecoding(event: Event) {
    this.greedy = (event.target as HTMLSelectElement).value !== '';
  }

  private begin(event: Event) {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(data.get(name) ?? '');
    const request: SuiteRequest = {
      suite: this.suite,
      samples: this.greedy ? 1 : Number(text('samples')),
      greedy: this.greedy,
      temperature: this.greedy ? null : Number(text('temperature')),
      seed: Number(text('seed')),
      turns: positiveIntegers(text('turns')),
      promptTokens: Number(text('promptTokens')),
      completionTokens: Number(text('completionTokens')),
    };
    void this.app.evaluations.play(request, text('step') ? Number(text('step')) : null);
  }

  private renderPlaying() {
    const { evaluating } = this.state;
    if (!evaluating) return nothing;
    return html`<div class="row" role="status"><span>${progressText(evaluating)}</span>${progressBar(evaluating)}
      <button @click=${() => this.app.evaluations.stop()}>${msg('Stop')}</button></div>`;
  }

  private renderKept(kept: readonly KeptEvaluation[]) {
    const now = kept[this.shown] ?? kept[0];
    if (!now) return nothing;
    const label = ({ report, step }: KeptEvaluation) => msg(str`${labelOfSuite(report.suite.label)}, step ${step}`);
    return html`<article aria-label=${label(now)}>
      <div class="row spread">
        ${
          kept.length > 1
            ? html`<label class="row">${msg('Report')}<select @change=${this.choose}>${kept.map((each, i) => html`<option value=${i} ?selected=${each === now}>${label(each)}</option>`)}</select></label>`
            : html`<h3>${label(now)}</h3>`
        }
        <span class="row">${formats.map(([extension, name, type]) => html`<button class="small" aria-label=${msg(str`Save as ${name}`)} @click=${() => this.save(now.report, extension, type)}>${name}</button>`)}</span>
      </div>
      ${this.renderSettings(now.report)} ${mainTable(now.report)} ${measuresTable(now.report)} ${otherRunsTable(now.report, this.others)} ${comparedTables(now.report, this.columnsOf(now.report))}
    </article>`;
  }

  private choose(event: Event) {
    this.shown = Number((event.target as HTMLSelectElement).value);
  }

  private columnsOf({ suite }: SuiteReport): readonly string[] {
    return this.suites.find((each) => each.suite.name === suite.name)?.suite.columns ?? [];
  }

  private renderSettings({ settings, suite, items }: SuiteReport) {
    const { greedy, samples, temperature, seed, masked } = settings;
    const tries = items.flatMap((item) => item.tries);
    const endless = tries.filter(({ overflowFails }) => overflowFails).length;
    const overflowed = tries.filter(({ overflowed: each }) => each).length - endless;
    const decoding = greedy
      ? msg('greedy')
      : msg(str`${tryCount(samples)} at temperature ${temperature}, seed ${seed}`);
    return html`<p class="small soft">${decoding} · ${suite.turns === null ? msg('turns by the task, as in training') : msg(str`at most ${turnCount(suite.turns)}`)} · ${masked ? msg('chooses among the listed actions') : msg('writes freely')} · ${msg('95% intervals over items')}</p>
      ${overflowed ? html`<p class="message warning">${msg(str`${overflowed} of ${tryCount(tries.length)} ran out of tokens and are not counted. Allow more tokens for the prompt or the episode.`)}</p>` : nothing}
      ${endless ? html`<p class="small soft">${msg(str`${endless} of ${tryCount(tries.length)} ran out of tokens and count as failures.`)}</p>` : nothing}`;
  }

  private save(report: SuiteReport, extension: string, type: string) {
    const write: { [extension: string]: () => string } = {
      json: () => reportJson(report),
      csv: () => reportCsv(report),
      md: () => reportMarkdown(report, this.columnsOf(report)),
    };
    download(new Blob([write[extension]()], { type }), `${report.suite.name}.${extension}`);
  }
}
