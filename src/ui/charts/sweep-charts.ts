/**
 * All charts of a sweep under one legend. The legend lists the variants, the settings in which they differ, and a
 * button for each seed's run.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { variantLabels } from '../../experiment/variant-labels.ts';
import type { OpenedSweep } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { runCount, stepCount } from '../kit/counts.ts';
import { approximately } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { knobLabel } from '../state/labels.ts';
import { charts } from '../state/series.ts';
import { type VariantLine, variantLines } from '../state/sweep-series.ts';
import { lineSample } from './line-sample.ts';
import './sweep-chart.ts';

/** Shortest time between two readings of the lines. A sweep has many lines, and a step changes little. */
const restMs = 1000;

@customElement('tabgym-sweep-charts')
export class TabgymSweepCharts extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
      }
      ul {
        list-style: none;
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 270px), 1fr));
        gap: 4px 14px;
      }
      li {
        display: grid;
        gap: 2px;
        align-content: start;
      }
      label {
        display: flex;
        gap: 6px;
        align-items: center;
        font-weight: 600;
      }
      label svg {
        width: 26px;
        height: 8px;
        flex: none;
      }
      .seeds {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
        align-items: center;
      }
      .seeds button {
        min-height: 24px;
        padding: 0 8px;
      }
      .seeds button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-soft);
        font-weight: 650;
      }
      .charts {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 270px), 1fr));
        gap: 10px 20px;
      }
    `,
  ];

  @state() private off: readonly number[] = [];
  private readonly specs = charts();
  private lines: readonly VariantLine[] = [];
  private readAt = Number.NEGATIVE_INFINITY;
  private readOf = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super(['sweep', 'run', 'selection', 'theme', 'systemDark', 'chartView', 'chartZoom']);
  }

  override render() {
    const { sweep, selection, theme } = this.state;
    if (!sweep) return nothing;
    this.read(sweep);
    const { lines: all, shown } = this;
    return html`${this.renderState(sweep)}
      <ul aria-label=${msg('Variants')}>${all.map((line) => this.renderVariant(sweep, line))}</ul>
      <p class="small soft">${msg('Thick lines: the mean over seeds. Thin lines: single seeds. Bands and bars: the 95% interval of the mean. Diamonds: held-out goals.')}</p>
      <div class="charts">${this.specs.map(
        (spec) =>
          html`<tabgym-sweep-chart .spec=${spec} .lines=${shown} .selected=${selection.step} .theme=${`${theme} ${this.state.systemDark}`} .view=${this.state.chartView} .zoom=${this.state.chartZoom}></tabgym-sweep-chart>`,
      )}</div>`;
  }

  /**
   * Variants that are drawn. The array keeps its identity until it changes, so that charts are not redrawn needlessly.
   */
  private shown: readonly VariantLine[] = [];

  private read(sweep: OpenedSweep) {
    const wanted = JSON.stringify([sweep.id, this.off]);
    const rest = this.readAt + restMs - performance.now();
    clearTimeout(this.timer);
    if (wanted === this.readOf && rest > 0) {
      this.timer = setTimeout(() => this.requestUpdate(), rest);
      return;
    }
    this.readOf = wanted;
    this.readAt = performance.now();
    this.lines = variantLines(sweep, variantLabels(sweep.document, knobLabel));
    this.shown = this.lines.filter(({ variant }) => !this.off.includes(variant));
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  private renderState({ name, runs, state: { done, total, remainingMs, failed, status } }: OpenedSweep) {
    const left = remainingMs !== null && remainingMs > 0 && status !== 'finished' ? approximately(remainingMs) : '';
    return html`<div class="row spread"><span><strong>${name}</strong>
        <span class="soft small number">${msg(str`${runCount(runs.length)}, ${done} of ${stepCount(total)} done`)}${left ? html` · ${msg(str`${left} left`)}` : nothing}</span></span>
        <button class="small" @click=${() => this.app.sweep.export()}>${msg('Export the sweep')}</button></div>
      ${failed.map(({ runId, message }) => html`<div class="message error">${runs.find(({ summary }) => summary.id === runId)?.summary.name}: ${message}</div>`)}`;
  }

  private renderVariant(sweep: OpenedSweep, line: VariantLine) {
    const { variant, name, apart } = line;
    const shown = !this.off.includes(variant);
    const runs = sweep.runs.filter(({ summary }) => summary.sweep?.variant === variant);
    return html`<li>
      <label><input type="checkbox" .checked=${shown} @change=${() => this.toggle(variant)} />
        ${lineSample(line, 'list')}
        <span>${name}</span></label>
      ${apart ? html`<span class="small soft">${apart}</span>` : nothing}
      <span class="seeds small"><span class="soft">${msg('Seed')}</span>${runs.map((run) => this.renderSeed(run.summary))}</span>
    </li>`;
  }

  /** Button that shows a run of the sweep on the stage; pressed for the run that is shown. */
  private renderSeed({ id, sweep, step, experiment }: OpenedSweep['runs'][number]['summary']) {
    const focus = id === this.state.run?.id;
    return html`<button class="small" aria-pressed=${focus ? 'true' : 'false'} title=${msg(str`Show this run: step ${step} of ${experiment.steps}`)}
      @click=${() => focus || this.app.open(id)}>${sweep!.seed}</button>`;
  }

  private toggle(variant: number) {
    this.off = this.off.includes(variant) ? this.off.filter((each) => each !== variant) : [...this.off, variant];
  }
}
