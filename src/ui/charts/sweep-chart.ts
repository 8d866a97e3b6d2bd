/**
 * One chart of a sweep: for each variant the mean over seeds, its interval as a band, and a thin line for each seed.
 * Evaluations are points. A menu above the plot chooses one of the chart's series. Depends on lines and a spec, not on
 * a run.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import uPlot from 'uplot';
import { meanEstimate } from '../../rl/evaluation/statistics.ts';
import { colon, compact, listed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import type { ChartSpec, SeriesSpec } from '../state/series.ts';
import {
  type SweepColumns,
  sweepColumns,
  sweepXs,
  type VariantColumns,
  type VariantLine,
} from '../state/sweep-series.ts';
import { axisLabels, type ChartView, plainView } from '../state/x-axis.ts';
import type { ZoomRange } from '../state/zoom.ts';
import { saveMenu } from './chart-menu.ts';
import { chartStyles } from './chart-styles.ts';
import { bandOpacity, type DrawnPoint, drawPoints, Palette } from './draw-chart.ts';
import { dashes, lineSample } from './line-sample.ts';
import { PlotFit } from './plot-fit.ts';
import { plotKey, StepSelectEvent } from './plot-keys.ts';
import { fullRange, plotHeight, plotOptions } from './plot-options.ts';
import type { ChartFormat } from './save-chart.ts';

const mostRows = 100;

/** Columns of a variant without the rows that have no x value; uPlot needs ascending x values. */
function variantTable(
  xs: readonly (number | null)[],
  columns: readonly (readonly (number | null)[])[],
): uPlot.AlignedData {
  const rows = xs.flatMap((x, row) => (x === null ? [] : [row]));
  return [rows.map((row) => xs[row]!), ...columns.map((column) => rows.map((row) => column[row]))];
}

@customElement('tabgym-sweep-chart')
export class TabgymSweepChart extends LocalizedElement {
  static override styles = [
    controls,
    chartStyles,
    css`
      .head select {
        min-height: 24px;
        padding-block: 0;
        font-size: var(--size-s);
      }
      .head .which {
        display: flex;
        gap: 8px;
        align-items: baseline;
        flex-wrap: wrap;
      }
    `,
  ];

  @property({ attribute: false }) spec!: ChartSpec;
  @property({ attribute: false }) lines: readonly VariantLine[] = [];
  @property({ attribute: false }) selected: number | null = null;
  @property({ attribute: false }) view: ChartView = plainView;
  @property({ type: Number }) tall = plotHeight;
  /** Shown part of the x axis. */
  @property({ attribute: false }) zoom: ZoomRange = null;
  /** Name of the theme. A change redraws the canvas in the new colours. */
  @property({ attribute: false }) theme = '';
  @state() private chosen = 0;
  /** Row of the plotted data under the cursor of any chart. */
  @state() private hovered: number | null = null;
  @state() private table = false;
  @query('.plot') private plotElement!: HTMLElement | null;
  private plot: uPlot | null = null;
  private columns: SweepColumns = { steps: [], variants: [] };
  /** The same without smoothing: the values of the steps themselves, for the readout, the table and the file. */
  private plain: SweepColumns = { steps: [], variants: [] };
  /** Plotted data: positions on the x axis, then the columns of each variant. */
  private rows: uPlot.AlignedData = [[]];
  private points: DrawnPoint[] = [];
  private readonly fitting = new PlotFit((width) => this.fit(width));

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.drop();
  }

  override connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) this.requestUpdate('theme', '');
  }

  private get series(): SeriesSpec {
    return this.spec.series[this.chosen];
  }

  /** Fixed range of the chosen series. A spec's range applies only to the series on its left scale. */
  private get range(): [number, number] | null {
    return this.series.scale === 'right' ? null : this.spec.range;
  }

  protected override willUpdate(changed: PropertyValues) {
    this.style.setProperty('--plot-height', `${this.tall}px`);
    if (['lines', 'spec', 'chosen', 'view'].some((name) => changed.has(name))) this.read();
  }

  private read() {
    this.columns = sweepColumns(this.lines, this.series, this.range, this.view.smoothing);
    const isSmooth = this.series.smooth === true && this.view.smoothing > 0;
    this.plain = isSmooth ? sweepColumns(this.lines, this.series, this.range, 0) : this.columns;
    this.rows = this.data();
  }

  override render() {
    const empty = !this.columns.steps.length;
    const other = this.table ? msg('Chart') : msg('Table');
    return html`<div class="head"><span class="which"><h3>${this.spec.title}</h3>${this.renderChoice()}</span>
        <span class="tools">${saveMenu(this.spec.title, empty, (format) => void this.save(format))}
          <button class="link small" aria-label=${`${other}${colon()}${this.spec.title}`} ?disabled=${empty} @click=${this.toggleTable}>${other}</button></span></div>
      ${this.renderReadout()}
      ${empty ? html`<div class="none">${msg('No step yet')}</div>` : this.table ? this.renderTable() : this.renderPlot()}`;
  }

  /** Row of the plotted data whose values are shown: that under the cursor, of the selected step, or the last. */
  private get shown(): number {
    const xs = this.rows[0];
    if (this.hovered !== null && this.hovered < xs.length) return this.hovered;
    const at = this.selected === null || !this.byStep ? -1 : this.columns.steps.indexOf(this.selected);
    return at >= 0 ? at : xs.length - 1;
  }

  /** The mean of each variant at the shown row; of a variant without a value there, its newest value before it. */
  private readings(): { step: string; values: (number | null)[] } | null {
    const row = this.shown;
    if (row < 0) return null;
    let column = 0;
    const values = this.plain.variants.map(({ seeds, mean }) => {
      column += seeds.length + 3;
      // On another axis the rows are those of the plot.
      const shown = this.byStep ? mean : (this.rows[column] as (number | null)[]);
      return shown.slice(0, row + 1).findLast((value) => value != null) ?? null;
    });
    const position = this.rows[0][row];
    const step = this.byStep ? msg(str`step ${position}`) : `${axisLabels()[this.view.x]} ${compact(position)}`;
    return { step, values };
  }

  private renderReadout() {
    const readings = this.readings();
    if (!readings) return html`<ul class="legend"></ul>`;
    return html`<ul class="legend"><li class="number">${readings.step}</li>${this.lines.map(
      (line, i) =>
        html`<li>${lineSample(line)}${line.name} <b class="value number">${compact(readings.values[i])}</b></li>`,
    )}</ul>`;
  }

  private get byStep() {
    return this.view.x === 'step';
  }

  private async save(format: ChartFormat) {
    const { saveChart, sweepChartOf, sweepCsv } = await import('./save-chart.ts');
    const title = `${this.spec.title}, ${this.series.label}`;
    const chart = sweepChartOf(title, this.range, this.columns, this.lines, this.view, this);
    await saveChart(format, chart, () => sweepCsv(this.plain, this.lines), this);
  }

  private renderChoice() {
    const { series, title } = this.spec;
    return html`<select aria-label=${msg(str`Choose a series of the chart ${title}`)} @change=${this.choose}>${series.map(
      ({ label }, index) => html`<option value=${index} ?selected=${index === this.chosen}>${label}</option>`,
    )}</select>`;
  }

  private choose(event: Event) {
    this.chosen = Number((event.target as HTMLSelectElement).value);
    this.drop();
  }

  private toggleTable() {
    this.table = !this.table;
  }

  private renderPlot() {
    const { steps } = this.columns;
    const last = steps.at(-1)!;
    return html`<div class="plot keeps-arrows" role="slider" tabindex="0" aria-label=${msg(str`${this.spec.title} by step. Arrow keys choose a step, + and − zoom, 0 shows all; the table has all numbers.`)}
      aria-valuemin="0" aria-valuemax=${last} aria-valuenow=${this.selected ?? last} aria-valuetext=${this.valueText()} @keydown=${this.move}></div>`;
  }

  private valueText() {
    const { steps, variants } = this.plain;
    const at = this.selected === null ? steps.length - 1 : steps.findIndex((step) => step >= this.selected!);
    if (at < 0) return '';
    const parts = this.lines.map(({ name }, i) => `${name} ${compact(variants[i].mean[at])}`);
    return `${msg(str`Step ${steps[at]}`)}${colon()}${listed(parts)}`;
  }

  private move(event: KeyboardEvent) {
    const last = this.columns.steps.at(-1)!;
    const step = this.selected ?? last;
    const full = fullRange(this.rows[0] as number[], this.byStep);
    const [from, to] = this.zoom ?? full;
    // On an axis of sums, a step has no position of its own.
    const position = this.byStep ? step : (from + to) / 2;
    plotKey(event, { step, last, position, zoom: this.zoom, full, bySteps: this.byStep }, this);
  }

  private cell({ mean, low, high }: VariantColumns, row: number) {
    const interval =
      low[row] === null ? nothing : html` <span class="soft">[${compact(low[row])}, ${compact(high[row])}]</span>`;
    return html`<td class="number">${compact(mean[row])}${interval}</td>`;
  }

  private renderTable() {
    const { steps, variants } = this.plain;
    const rows = steps
      .map((_, i) => i)
      .slice(-mostRows)
      .reverse();
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${this.spec.title}><table>
      <caption class="small soft">${this.lines.some(({ runs }) => runs.length > 1) ? msg(str`${this.series.label}: mean over seeds with its 95% interval`) : this.series.label}</caption>
      <thead><tr><th scope="col">${msg('Step')}</th>${this.lines.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr><th scope="row">${steps[row]}</th>${variants.map((each) => this.cell(each, row))}</tr>`)}</tbody></table></div>`;
  }

  protected override updated(changed: PropertyValues) {
    if (!this.plotElement || !this.columns.steps.length) return this.drop();
    if (['spec', 'theme', 'chosen', 'view'].some((name) => changed.has(name)) || this.hasOtherLines()) this.drop();
    if (this.plot && !this.plotElement.contains(this.plot.root)) this.drop();
    // An evaluation belongs to a step. On an axis of sums, a step has a different x position for each seed.
    this.points = this.chosen === 0 && this.byStep ? this.evaluations() : [];
    if (!this.plot) this.build();
    else if (changed.has('lines')) this.plot.setData(this.rows);
    else if (changed.has('zoom')) this.plot.setScale('x', { min: this.rows[0][0], max: this.rows[0].at(-1)! });
    if (changed.has('tall')) this.fitting.later();
  }

  /** True if the number of lines changed: a variant was hidden or shown, or has another run. */
  private hasOtherLines(): boolean {
    return this.plot !== null && this.plot.series.length !== this.rows.length;
  }

  /**
   * Held-out evaluations (the spec's last kind of points): the mean over seeds at each step that every seed has
   * evaluated.
   */
  private evaluations(): DrawnPoint[] {
    const read = this.spec.points.at(-1)?.read;
    if (!read) return [];
    return this.lines.flatMap(({ runs, color }, i) => {
      const steps = new Map<number, number[]>();
      for (const { step, evaluation } of runs.flatMap(({ records }) => records))
        if (evaluation) steps.set(step, [...(steps.get(step) ?? []), read(evaluation).value]);
      const whole = [...steps].filter(([, values]) => values.length === runs.length);
      return whole.map(([step, values]): DrawnPoint => {
        const { mean, low, high } = meanEstimate(values);
        const [floor, top] = this.range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
        const interval = { low: Math.max(floor, low), high: Math.min(top, high) };
        return { step, offset: 3 * i, value: mean, ...interval, color, shape: 'diamond' };
      });
    });
  }

  private drop() {
    this.fitting.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.hovered = null;
  }

  private data(): uPlot.AlignedData {
    const { steps, variants } = this.columns;
    const columns = variants.map(({ seeds, low, high, mean }) => [...seeds, low, high, mean]);
    if (this.byStep) return [steps, ...columns.flat()];
    const tables = columns.map((mine, index) => variantTable(sweepXs(this.lines[index], steps, this.view.x), mine));
    return tables.length ? uPlot.join(tables) : [[]];
  }

  private drawnLines(palette: Palette): { series: uPlot.Series[]; bands: uPlot.Band[] } {
    const series: uPlot.Series[] = [];
    const bands: uPlot.Band[] = [];
    for (const [i, { color, dash, name }] of this.lines.entries()) {
      const shared = { label: name, spanGaps: true, points: { show: false } };
      const thin = { ...shared, stroke: palette.color(color, 0.4), width: 0.75 };
      series.push(...this.columns.variants[i].seeds.map(() => thin));
      const edge = { ...shared, stroke: 'transparent', width: 0 };
      bands.push({ series: [series.length + 2, series.length + 1], fill: palette.color(color, bandOpacity) });
      series.push(edge, edge);
      series.push({ ...shared, stroke: palette.color(color), width: 2.25, dash: dashes[dash] });
    }
    return { series, bands };
  }

  private build() {
    const palette = new Palette(this);
    const { series, bands } = this.drawnLines(palette);
    const options = plotOptions(this, palette, {
      width: this.plotElement!.clientWidth,
      height: this.tall,
      byStep: this.byStep,
      zoom: () => this.zoom,
      hover: (index) => {
        this.hovered = index;
      },
      range: this.range,
      right: false,
      series: [{ label: msg('Step') }, ...series],
      bands,
      hooks: { draw: [(plot) => drawPoints(plot, palette, this.points)] },
    });
    this.plot = new uPlot(options, this.rows, this.plotElement!);
    this.plot.over.addEventListener('click', () => this.clicked());
    this.fitting.observe(this.plotElement!);
  }

  private clicked() {
    const index = this.plot?.cursor.idx;
    // On an axis of sums, one x position belongs to different steps of different variants, so a click selects nothing.
    if (this.byStep && index !== null && index !== undefined)
      this.dispatchEvent(new StepSelectEvent(this.columns.steps[index]));
  }

  private fit(width: number) {
    if (!this.plot || !width || (width === this.plot.width && this.tall === this.plot.height)) return;
    this.plot.setSize({ width, height: this.tall });
  }
}
