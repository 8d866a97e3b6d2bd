/**
 * Comparison of stored runs: their curves over each other, the settings in which they differ, and their evaluations on
 * held-out goals. Loaded when it is first opened.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { findKnob } from '../../experiment/knobs.ts';
import { valueWords } from '../../experiment/variant-labels.ts';
import { Panel } from '../control/panel.ts';
import { runCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import { loadingState } from '../kit/states.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { type ComparedRun, comparedLines, heldOutRows, settingsThatDiffer } from '../state/compare.ts';
import { knobLabel } from '../state/labels.ts';
import { charts } from '../state/series.ts';
import type { VariantLine } from '../state/sweep-series.ts';
import type { ZoomRange } from '../state/zoom.ts';
import { lineSample } from './line-sample.ts';
import type { ChartZoomEvent, StepSelectEvent } from './plot-keys.ts';
import './sweep-chart.ts';

@customElement('tabgym-compare')
export class TabgymCompare extends Panel {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 1240px;
      }
      .charts {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr));
        gap: 0 20px;
      }
      .table {
        overflow-x: auto;
      }
      th svg {
        width: 26px;
        height: 8px;
        margin-inline-end: 4px;
      }
      td,
      th {
        vertical-align: top;
      }
      td.other {
        font-weight: 600;
      }
      section {
        display: grid;
        gap: 6px;
      }
    `,
  ];

  @query('dialog') private dialog!: HTMLDialogElement | null;
  @state() private runs: readonly ComparedRun[] | null = null;
  /** Selected step and shown part of the axis, of this comparison alone. */
  @state() private step: number | null = null;
  @state() private zoom: ZoomRange = null;
  private lines: readonly VariantLine[] = [];
  private readonly specs = charts();

  constructor() {
    super(['compared', 'theme', 'systemDark', 'chartView']);
  }

  protected override firstUpdated() {
    this.dialog?.showModal();
    void this.read();
  }

  private async read() {
    const ids = this.state.compared ?? [];
    const found = ids.flatMap((id) => this.state.runs.find((run) => run.id === id) ?? []);
    await this.app.curves.read(found);
    this.runs = found.map((summary) => ({ summary, records: this.app.curves.of(summary) ?? [] }));
  }

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('runs') && this.runs) this.lines = comparedLines(this.runs);
  }

  override render() {
    return html`<dialog aria-labelledby="title" @close=${() => this.app.layout.compareRuns(null)} @step-select=${this.choose} @chart-zoom=${this.zoomTo}>
      <div class="inner">
        <div class="row spread"><h2 id="title">${msg(str`Compare ${runCount(this.state.compared?.length ?? 0)}`)}</h2>
          <span class="row">${this.zoom ? html`<button class="small" @click=${() => (this.zoom = null)}>${msg('Show all')}</button>` : nothing}
            <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog?.close()}>✕</button></span></div>
        ${this.runs ? this.renderRuns(this.runs) : loadingState(msg('Reading the runs'))}
      </div>
    </dialog>`;
  }

  private choose(event: StepSelectEvent) {
    event.stopPropagation();
    this.step = event.step;
  }

  private zoomTo(event: ChartZoomEvent) {
    event.stopPropagation();
    this.zoom = event.range;
  }

  private renderRuns(runs: readonly ComparedRun[]) {
    const { theme, systemDark, chartView } = this.state;
    return html`${this.renderHeldOut(runs)}
      <div class="charts">${this.specs.map(
        (spec) =>
          html`<tabgym-sweep-chart .spec=${spec} .lines=${this.lines} .selected=${this.step} .zoom=${this.zoom} .theme=${`${theme} ${systemDark}`} .view=${chartView}></tabgym-sweep-chart>`,
      )}</div>
      ${this.renderSettings(runs)}`;
  }

  private renderName(at: number) {
    const line = this.lines[at];
    return html`${lineSample(line, 'list')}${line.name}`;
  }

  private renderHeldOut(runs: readonly ComparedRun[]) {
    const rows = heldOutRows(runs);
    return html`<section><h3 id="held">${msg('Held-out goals')}</h3>
      <div class="table" tabindex="0" role="group" aria-labelledby="held"><table>
        <thead><tr><th scope="col">${msg('Run')}</th><th scope="col" class="number">${msg('Steps')}</th><th scope="col" class="number">${msg('Success')}</th><th scope="col" class="number">${msg('at step')}</th>
          <th scope="col" class="number">${msg('Chance')}</th><th scope="col" class="number">${msg('Score')}</th><th scope="col" class="number">${msg('Best')}</th><th scope="col" class="number">${msg('at step')}</th></tr></thead>
        <tbody>${rows.map(({ step, newest, best }, i) => {
          const { policy, chance, score } = newest?.evaluation ?? {};
          return html`<tr><th scope="row">${this.renderName(i)}</th><td class="number">${step}</td>
            <td class="number">${fixed(policy?.rate)} ${policy ? html`<span class="soft">[${fixed(policy.low)}, ${fixed(policy.high)}]</span>` : nothing}</td>
            <td class="number">${newest?.step ?? '–'}</td><td class="number">${fixed(chance?.rate)}</td><td class="number">${fixed(score)}</td>
            <td class="number">${fixed(best?.rate)}</td><td class="number">${best?.step ?? '–'}</td></tr>`;
        })}</tbody></table></div></section>`;
  }

  private renderSettings(runs: readonly ComparedRun[]) {
    const rows = settingsThatDiffer(runs.map(({ summary }) => summary.experiment));
    const heading = html`<h3 id="settings">${msg('Settings that differ')}</h3>`;
    if (!rows.length)
      return html`<section>${heading}<p class="soft">${msg('None: the runs have the same settings.')}</p></section>`;
    return html`<section>${heading}
      <div class="table" tabindex="0" role="group" aria-labelledby="settings"><table>
        <thead><tr><th scope="col">${msg('Setting')}</th>${runs.map((_, i) => html`<th scope="col">${this.renderName(i)}</th>`)}</tr></thead>
        <tbody>${rows.map(({ path, values }) => {
          const knob = findKnob(path);
          return html`<tr><th scope="row" title=${path}>${knob ? knobLabel(knob) : path}</th>${values.map(
            (value) =>
              html`<td class=${JSON.stringify(value) === JSON.stringify(values[0]) ? '' : 'other'}>${value === undefined ? '–' : valueWords(value, knob)}</td>`,
          )}</tr>`;
        })}</tbody></table></div></section>`;
  }
}
