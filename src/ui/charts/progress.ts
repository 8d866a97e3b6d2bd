/**
 * PROGRESS: the charts, whose cursor follows the stage's step, hints about problems in the run, and an explanation of
 * each metric.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import './chart.ts';
import './sweep-charts.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { compact } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { diagnose, type Hint } from '../state/diagnosis.ts';
import { groupStatistics } from '../state/episodes.ts';
import { bandHint } from '../state/expected-band.ts';
import { progressPane } from '../state/panes.ts';
import { chartsOf, rewardColumns } from '../state/reward-parts.ts';
import { type ChartSpec, charts, measuresSignal } from '../state/series.ts';
import { recordedWorlds, withWorlds } from '../state/world-chart.ts';
import { axisLabels, type ChartView, smoothings, type XAxis, xAxes, xValues } from '../state/x-axis.ts';
import { zoomBy } from '../state/zoom.ts';
import type { ChartEnlargeEvent } from './chart.ts';
import { metricRows } from './metric-rows.ts';
import type { ChartZoomEvent, StepSelectEvent } from './plot-keys.ts';
import { zoomFactors } from './plot-keys.ts';
import { fullRange, plotHeight } from './plot-options.ts';

/**
 * `leastPlot`: smallest height of a plot that can be read. `besidePlot`: height of everything above and below a plot.
 * `mostPlot`: largest height of a plot in a row of several, `largePlot` of one that has the row to itself. CSS pixels.
 */
const leastPlot = 164;
const besidePlot = 112;
const mostPlot = 320;
const largePlot = 340;
/** Width from which two charts fit in a row. */
const twoColumns = 520;

@customElement('tabgym-progress')
export class TabgymProgress extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        container-type: inline-size;
      }
      .inner {
        padding: 8px 12px 12px;
        display: grid;
        gap: 8px;
      }
      .charts {
        display: grid;
        grid-template-columns: repeat(3, minmax(0, 1fr));
        gap: 0 20px;
      }
      @container (max-width: 760px) {
        .charts {
          grid-template-columns: repeat(2, minmax(0, 1fr));
        }
      }
      @container (max-width: 520px) {
        .charts {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      .zoom {
        gap: 2px;
        color: var(--text-2);
      }
      .zoom button {
        min-width: 24px;
        min-height: 24px;
        padding: 0 6px;
      }
      .large {
        grid-column: 1 / -1;
        order: -1;
      }
      .chip {
        min-height: 24px;
        border-radius: 999px;
      }
      .chip.warning {
        background: var(--warn-soft);
        border-color: var(--warn);
        color: var(--warn);
      }
      .hint {
        display: flex;
        gap: 4px 10px;
        align-items: baseline;
        flex-wrap: wrap;
      }
      .view {
        gap: 4px;
        color: var(--text-2);
      }
      .view select {
        min-height: 24px;
        padding-block: 0;
        color: var(--text);
      }
      .choice {
        gap: 2px;
      }
      .choice button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-soft);
        font-weight: 650;
      }
      .metrics td {
        vertical-align: top;
      }
    `,
  ];

  @state() private explained = false;
  @state() private goalsLoaded = false;
  @state() private opened: Hint['id'] | null = null;
  private shown: { key: string; charts: readonly ChartSpec[] } = { key: '', charts: charts() };
  /** Height of the plots in CSS pixels: one row of charts fills the pane. */
  @state() private tall = plotHeight;
  private readonly resized = new ResizeObserver(([{ contentRect }]) => {
    const most = contentRect.width < twoColumns ? 1.25 * plotHeight : mostPlot;
    const fitting = Math.round(Math.max(leastPlot, contentRect.height - besidePlot));
    this.tall = Math.min(most, fitting);
    this.tallLarge = Math.min(largePlot, fitting);
  });
  @state() private tallLarge = largePlot;
  /** Id of the chart that is shown large. */
  @state() private enlarged: string | null = null;
  private paneBefore = 0;

  constructor() {
    super([
      'records',
      'selection',
      'theme',
      'systemDark',
      'chartView',
      'chartZoom',
      'run',
      'owner',
      'status',
      'opening',
      'sweep',
      'wholeSweep',
      'kept',
      'band',
    ]);
  }

  override render() {
    const { records, owner, run, opening, sweep, wholeSweep } = this.state;
    const hints = [
      ...diagnose(records, run?.experiment.sampling.maskActions ?? false),
      ...bandHint(this.state.band, records),
    ];
    return html`<div class="inner" @step-select=${this.choose} @chart-zoom=${this.zoom} @chart-enlarge=${this.enlarge}>
      <div class="row spread"><div class="row"><h2>${msg('Progress')}</h2>${sweep ? this.renderWholeSweep(wholeSweep) : nothing}${hints.map((hint) => this.renderChip(hint))}</div>
        <div class="row">${this.renderZoom()}${this.renderView()}${opening ? html`<span class="soft small" role="status">${msg('Reading the run')}…</span>` : nothing}
          <button class="link small" aria-expanded=${this.explained ? 'true' : 'false'} @click=${this.toggleExplained}>${msg('Explain the metrics')}</button></div></div>
      ${run && owner === 'another-tab' ? this.renderReadOnly() : nothing}
      ${hints.filter((hint) => hint.id === this.opened).map((hint) => this.renderHint(hint))}
      ${sweep && wholeSweep ? html`<tabgym-sweep-charts .app=${this.app}></tabgym-sweep-charts>` : html`<div class="charts">${this.chartsOf(records).map((spec) => this.renderChart(spec))}</div>`}
      ${this.renderGoals()}
      ${this.explained ? this.renderMetrics() : nothing}
    </div>`;
  }

  /** Table of the goals, which is loaded for runs whose goals a rule chooses. */
  private renderGoals() {
    if (!this.state.run?.experiment.goals) return nothing;
    if (!this.goalsLoaded) {
      void import('./goals.ts').then(() => {
        this.goalsLoaded = true;
      });
      return nothing;
    }
    return html`<tabgym-goals .app=${this.app}></tabgym-goals>`;
  }

  /** A chart draws anew when its specification is another object, so the same columns give the same objects. */
  private chartsOf(records: readonly StepRecord[]): readonly ChartSpec[] {
    const columns = rewardColumns(records);
    const signal = measuresSignal(records);
    const worlds = recordedWorlds(records);
    const key = [signal, ...worlds.map((each) => `${each.name} ${each.evaluated}`), '', ...columns].join('\n');
    if (key !== this.shown.key) this.shown = { key, charts: withWorlds(chartsOf(columns, charts(signal)), worlds) };
    return this.shown.charts;
  }

  private zoom(event: ChartZoomEvent) {
    this.app.layout.zoomCharts(event.range);
  }

  /** Shows a chart large in a higher pane, or all charts in the pane as it was. */
  private enlarge({ chart }: ChartEnlargeEvent) {
    const { selection, sweep, wholeSweep, panes } = this.state;
    const pane = progressPane(selection.tab, sweep !== null && wholeSweep);
    const small = this.enlarged === chart;
    if (!small && this.enlarged === null) this.paneBefore = panes[pane];
    this.enlarged = small ? null : chart;
    this.app.layout.resize(pane, small ? this.paneBefore : Math.max(panes[pane], largePlot + besidePlot));
  }

  /** Shown part of the axis, with buttons that change it for all charts. Dragging over a chart does the same. */
  private renderZoom() {
    const { chartZoom, chartView, records } = this.state;
    if (records.length < 2) return nothing;
    const words = axisLabels()[chartView.x];
    const [from, to] = chartZoom ?? [0, 0];
    const button = (label: string, sign: string, key: string, off: boolean) =>
      html`<button class="quiet small" aria-label=${label} title=${label} ?disabled=${off} @click=${() => this.zoomBy(zoomFactors[key])}>${sign}</button>`;
    return html`<span class="row zoom small" role="group" aria-label=${msg('Zoom of the charts')}>${
      chartZoom
        ? html`<span class="number" role="status">${words} ${compact(Math.round(from))}–${compact(Math.round(to))}</span>
            <button class="small" @click=${() => this.app.layout.zoomCharts(null)}>${msg('Show all')}</button>`
        : nothing
    }${button(msg('Zoom in'), '+', '+', false)}${button(msg('Zoom out'), '−', '-', !chartZoom)}</span>`;
  }

  /** Zooms around the selected step, or around the middle of what is shown. */
  private zoomBy(factor: number) {
    const { chartZoom, chartView, records, selection } = this.state;
    const byStep = chartView.x === 'step';
    const xs = xValues(records, chartView.x);
    const full = fullRange(xs, byStep);
    const [from, to] = chartZoom ?? full;
    const at = xs[records.findIndex(({ step }) => step === selection.step)] ?? (from + to) / 2;
    this.app.layout.zoomCharts(zoomBy(factor, at, chartZoom, full, byStep));
  }

  /** Choice of x axis and smoothing for all charts. */
  private renderView() {
    const { chartView } = this.state;
    const set = (patch: Partial<ChartView>) => this.app.layout.setChartView({ ...chartView, ...patch });
    const words = axisLabels();
    return html`<label class="row view small">${msg('X axis')}
        <select @change=${(event: Event) => set({ x: (event.target as HTMLSelectElement).value as XAxis })}>${xAxes.map(
          (each) => html`<option value=${each} ?selected=${each === chartView.x}>${words[each]}</option>`,
        )}</select></label>
      <label class="row view small">${msg('Smoothing')}
        <select @change=${(event: Event) => set({ smoothing: Number((event.target as HTMLSelectElement).value) })}>${smoothings.map(
          (each) =>
            html`<option value=${each} ?selected=${each === chartView.smoothing}>${each === 0 ? msg('none') : each}</option>`,
        )}</select></label>`;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.resized.observe(this);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private renderWholeSweep(wholeSweep: boolean) {
    const choice = (value: boolean, label: string) =>
      html`<button class="small" aria-pressed=${value === wholeSweep ? 'true' : 'false'} @click=${() => this.app.sweep.showWholeSweep(value)}>${label}</button>`;
    return html`<span class="row choice" role="group" aria-label=${msg('Runs in the charts')}>${choice(true, msg('All runs'))}${choice(false, msg('This run'))}</span>`;
  }

  protected override updated() {
    const { sweep, wholeSweep } = this.state;
    this.toggleAttribute('data-sweep', sweep !== null && wholeSweep);
  }

  private toggleExplained() {
    this.explained = !this.explained;
  }

  private choose(event: StepSelectEvent) {
    const { tab } = this.state.selection;
    this.app.navigation.chooseStep(
      event,
      tab === 'watch' || tab === 'evaluate' || tab === 'play' ? { tab: 'group' } : {},
    );
  }

  private renderReadOnly() {
    return html`<div class="message warning row spread"><span>${msg('This run is open in another tab. This tab is read-only and may show older steps.')}</span>
      <button @click=${() => this.app.takeOver()}>${msg('Take over')}</button></div>`;
  }

  /** Button of a hint, with its sign and title. A press shows the explanation and a link to the episodes. */
  private renderChip(hint: Hint) {
    const open = hint.id === this.opened;
    const toggle = () => {
      this.opened = open ? null : hint.id;
    };
    return html`<button class="small chip ${hint.level}" aria-expanded=${open ? 'true' : 'false'} @click=${toggle}>
      <span aria-hidden="true">${hint.level === 'warning' ? '!' : 'i'}</span> ${hint.title}</button>`;
  }

  private renderHint(hint: Hint) {
    const wanted = (members: readonly Trajectory[]) => hint.id !== 'no-signal' || !groupStatistics(members).signal;
    const jump = () => this.app.navigation.showGroup(hint.step, wanted);
    return html`<div class="message ${hint.level === 'warning' ? 'warning' : ''} hint">
      <span>${hint.sentence}</span>
      <button class="link" @click=${jump}>${msg(str`Show the episodes of step ${hint.step}`)}</button>
      ${hint.goOnFrom === undefined ? nothing : this.renderGoOn(hint.goOnFrom)}</div>`;
  }

  private renderGoOn(step: number) {
    return html`<button ?disabled=${this.state.owner === 'another-tab'} @click=${() => this.app.goOnFrom(step)}>${msg(str`Continue from step ${step}`)}</button>`;
  }

  private renderChart(spec: ChartSpec) {
    const { records, selection, theme } = this.state;
    const large = this.enlarged === spec.id;
    return html`<tabgym-chart class=${large ? 'large' : ''} .spec=${spec} .records=${records} .selected=${selection.step} .theme=${`${theme} ${this.state.systemDark}`}
      .view=${this.state.chartView} .zoom=${this.state.chartZoom} .kept=${this.state.kept} .band=${spec.id === 'success' ? this.state.band : null} .large=${large} .tall=${large ? this.tallLarge : this.tall}></tabgym-chart>`;
  }

  /** Table of all metrics with their newest values and explanations. */
  private renderMetrics() {
    const { records } = this.state;
    const record = records.findLast((each) => each.step > 0) ?? records.at(-1);
    const running = isActive(this.state.status);
    return html`<div><h3>${msg('Metrics')} ${record ? html`<span class="soft">${msg(str`at step ${record.step}`)}${running ? '' : nothing}</span>` : nothing}</h3>
      <table class="metrics small"><thead><tr><th scope="col">${msg('Metric')}</th><th scope="col" class="number">${msg('Value')}</th><th scope="col">${msg('Unit')}</th><th scope="col">${msg('Meaning')}</th></tr></thead>
        <tbody>${metricRows(record).map(
          (row) =>
            html`<tr><th scope="row" class="mono">${row.name}</th><td class="number">${row.value === null ? '–' : compact(row.value)}</td><td>${row.unit}</td><td>${row.sentence}</td></tr>`,
        )}</tbody></table></div>`;
  }
}
