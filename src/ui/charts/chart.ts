/**
 * One live chart: lines by uPlot, evaluation points with intervals, a cursor and a zoom shared with the other charts,
 * and a table of the same numbers. The legend shows the values under the cursor, else those of the selected or newest
 * step. A click or the arrow keys select a step. Depends on records and a spec, not on a run.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import uPlot from 'uplot';
import type { Band } from '../../rl/evaluation/band.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { bracketed, colon, compact, fixed, listed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { bandPoints } from '../state/expected-band.ts';
import { highlightStyle } from '../state/highlight.ts';
import { keptPositions } from '../state/kept-steps.ts';
import { type ChartSpec, readSeries, type SeriesSpec, smoothed } from '../state/series.ts';
import { type ChartView, plainView, xValues } from '../state/x-axis.ts';
import { type ZoomRange, zoomWith } from '../state/zoom.ts';
import { saveMenu } from './chart-menu.ts';
import { chartStyles } from './chart-styles.ts';
import {
  bandOpacity,
  type DrawnPoint,
  drawBand,
  drawKept,
  drawPoints,
  faded,
  Palette,
  resolveColor,
} from './draw-chart.ts';
import { dashes, lineSample } from './line-sample.ts';
import { PlotFit } from './plot-fit.ts';
import { ChartZoomEvent, plotKey, StepSelectEvent } from './plot-keys.ts';
import { fullRange, plotHeight, plotOptions } from './plot-options.ts';
import { lineReadings, placeName, pointReadings } from './readout.ts';
import type { ChartFormat } from './save-chart.ts';

const mostRows = 200;

/** Event `chart-enlarge`: a press on a chart's button that shows it large, or small again. */
export class ChartEnlargeEvent extends Event {
  constructor(readonly chart: string) {
    super('chart-enlarge', { bubbles: true, composed: true });
  }
}

@customElement('tabgym-chart')
export class TabgymChart extends LocalizedElement {
  static override styles = [controls, chartStyles];

  @property({ attribute: false }) spec!: ChartSpec;
  @property({ attribute: false }) records: readonly StepRecord[] = [];
  @property({ attribute: false }) selected: number | null = null;
  /** Name of the theme. A change redraws the canvas in the new colours. */
  @property({ attribute: false }) theme = '';
  @property({ attribute: false }) view: ChartView = plainView;
  /** Height of the plot in CSS pixels. */
  @property({ type: Number }) tall = plotHeight;
  /** Shown part of the x axis. */
  @property({ attribute: false }) zoom: ZoomRange = null;
  /** Steps whose episodes are kept, ascending; empty if unknown. */
  @property({ attribute: false }) kept: readonly number[] = [];
  /** Band in which the first line is expected to lie. */
  @property({ attribute: false }) band: Band | null = null;
  /** True while this chart is shown large; null: it cannot be enlarged. */
  @property({ attribute: false }) large: boolean | null = null;
  @state() private table = false;
  /** Index of the record under the cursor of any chart. */
  @state() private hovered: number | null = null;
  @query('.plot') private plotElement!: HTMLElement | null;
  private plot: uPlot | null = null;
  private points: DrawnPoint[] = [];
  private xs: number[] = [];
  /** Positions of the steps to which a click leads; empty if every step is one. */
  private keptXs: number[] = [];
  /** Drawn means by series; null for a series without one. */
  private means: ((number | null)[] | null)[] = [];
  private readonly marker = Object.assign(document.createElement('div'), { className: 'marker' });
  private readonly fitting = new PlotFit((width) => this.fit(width));

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.drop();
  }

  override connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) this.requestUpdate('theme', '');
  }

  override render() {
    const { spec } = this;
    const empty = !this.records.length;
    const other = this.table ? msg('Chart') : msg('Table');
    return html`<div class="head" .style=${highlightStyle(`chart.${spec.id}`)}><span class="title"><h3>${spec.title}</h3>${this.renderPlace()}</span>
        <span class="tools">${saveMenu(spec.title, empty, (format) => void this.save(format))}
          <button class="link small" aria-label=${`${other}${colon()}${spec.title}`} ?disabled=${empty} @click=${this.toggleTable}>${other}</button>${this.renderEnlarge()}</span></div>
      ${this.renderLegend()}
      ${empty ? html`<div class="none">${msg('No step yet')}</div>` : this.table ? this.renderTable() : this.renderPlot()}`;
  }

  private renderEnlarge() {
    if (this.large === null) return nothing;
    const label = this.large ? msg('Show small') : msg('Enlarge');
    return html`<button class="quiet small enlarge" aria-label=${`${label}${colon()}${this.spec.title}`} title=${label} aria-pressed=${this.large ? 'true' : 'false'}
      @click=${() => this.dispatchEvent(new ChartEnlargeEvent(this.spec.id))}><span aria-hidden="true">${this.large ? '⤡' : '⤢'}</span></button>`;
  }

  /** Index of the record whose values the legend shows; -1: there is none. */
  private get shown(): number {
    if (this.hovered !== null && this.hovered < this.records.length) return this.hovered;
    const chosen = this.selected === null ? -1 : this.records.findIndex(({ step }) => step === this.selected);
    return chosen >= 0 ? chosen : this.records.length - 1;
  }

  private renderPlace() {
    const at = this.shown;
    if (at < 0) return nothing;
    return html`<span class="small soft number place">${placeName(this.records[at].step, this.view.x, this.xs[at] ?? 0)}</span>`;
  }

  private renderLegend() {
    const { spec, records, shown } = this;
    const lines = shown < 0 ? [] : lineReadings(spec, records, this.means, shown);
    const points = shown < 0 ? [] : pointReadings(spec, records, shown);
    const reading = (each: (typeof lines)[number] | undefined) =>
      each &&
      html` <b class="value number" title=${each.more || nothing}>${each.value}</b>${each.more ? html` <span class="more number">${each.more}</span>` : nothing}`;
    return html`<ul class="legend">${spec.series.map((series, i) => html`<li>${this.renderKey(series)}${reading(lines[i])}</li>`)}${spec.points.map(
      (point, i) =>
        html`<li><svg class="mark" viewBox="5 0 8 8" aria-hidden="true">${point.shape === 'disc' ? svgDisc(point.color) : svgDiamond(point.color)}</svg>${point.label}${reading(points[i])}</li>`,
    )}${this.renderBandKey()}${this.keptXs.length ? html`<li><svg class="mark" viewBox="0 0 8 8" aria-hidden="true"><path d="M4 1v6" stroke="var(--accent)" stroke-width="2" /></svg>${msg('episodes kept')}</li>` : nothing}</ul>`;
  }

  private renderBandKey() {
    if (!this.band) return nothing;
    const seeds = this.band.seeds.length;
    return html`<li title=${msg('Where 99 of 100 runs of this preset are expected, by runs with other seeds')}><svg class="mark" viewBox="0 0 8 8" aria-hidden="true"><path d="M0 0h8v8H0z" .style=${`fill:${faded('--series-1', bandOpacity)}`} /></svg>${msg(str`expected (${seeds} seeds)`)}</li>`;
  }

  private async save(format: ChartFormat) {
    const { chartCsv, chartOf, saveChart } = await import('./save-chart.ts');
    const chart = chartOf(this.spec, this.records, this.view, (token) => resolveColor(this, token));
    await saveChart(format, chart, () => chartCsv(this.spec, this.records), this);
  }

  private toggleTable() {
    this.table = !this.table;
  }

  private renderKey(series: SeriesSpec) {
    const unit = series.scale === 'right' ? bracketed(msg('right', { id: 'side.right' })) : '';
    return html`${lineSample(series)}${series.label}${unit}`;
  }

  private renderPlot() {
    return html`<div class="plot keeps-arrows" role="slider" tabindex="0" aria-label=${this.summary()} aria-valuemin="0" aria-valuemax=${this.records.at(-1)!.step}
      aria-valuenow=${this.selected ?? this.records.at(-1)!.step} aria-valuetext=${this.valueText()} @keydown=${this.move}></div>`;
  }

  private summary() {
    return msg(
      str`${this.spec.title} by step. Arrow keys choose a step, + and − zoom, 0 shows all; the table has all numbers.`,
    );
  }

  private recordAt(step: number | null) {
    return step === null ? this.records.at(-1) : this.records.find((record) => record.step === step);
  }

  private valueText() {
    const record = this.recordAt(this.selected);
    if (!record) return '';
    const { spec, records } = this;
    const at = records.indexOf(record);
    // Passes no smoothed means, so that the values are those of the step itself.
    const readings = [...lineReadings(spec, records, [], at), ...pointReadings(spec, records, at)];
    const parts = readings.map(({ label, value, more }) => `${label} ${value} ${more}`.trim());
    return `${msg(str`Step ${record.step}`)}${colon()}${listed(parts)}`;
  }

  private move(event: KeyboardEvent) {
    const last = this.records.at(-1)!.step;
    const step = this.selected ?? last;
    const at = this.records.findIndex((record) => record.step === step);
    plotKey(
      event,
      {
        step,
        last,
        position: this.xs[at] ?? this.xs.at(-1) ?? 0,
        zoom: this.zoom,
        full: fullRange(this.xs, this.byStep),
        bySteps: this.byStep,
      },
      this,
    );
  }

  private get byStep() {
    return this.view.x === 'step';
  }

  private send(step: number) {
    this.dispatchEvent(new StepSelectEvent(step));
  }

  /** Moves the zoomed part to the selected step, if that step was chosen elsewhere or by a key. */
  private keepInSight() {
    const at = this.records.findIndex(({ step }) => step === this.selected);
    if (at < 0 || !this.zoom) return;
    const range = zoomWith(this.xs[at], this.zoom, fullRange(this.xs, this.byStep));
    if (range !== this.zoom) this.dispatchEvent(new ChartZoomEvent(range));
  }

  private renderTable() {
    const rows = this.records.slice(-mostRows).reverse();
    const { series, points } = this.spec;
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${this.spec.title}><table>
      <caption class="small soft">${this.records.length > mostRows ? msg(str`The newest ${mostRows} of ${this.records.length} steps`) : nothing}</caption>
      <thead><tr><th scope="col">${msg('Step')}</th>${series.map((each) => html`<th scope="col" class="number">${each.label}</th>`)}${points.map((each) => html`<th scope="col" class="number">${each.label}</th>`)}</tr></thead>
      <tbody>${rows.map(
        (record) =>
          html`<tr><th scope="row">${record.step}</th>${series.map((each) => html`<td class="number">${compact(readSeries(each, record))}</td>`)}${points.map(
            (each) => {
              if (!record.evaluation) return html`<td></td>`;
              const { value, low, high } = each.read(record.evaluation);
              return html`<td class="number">${fixed(value)} <span class="soft">[${fixed(low)}, ${fixed(high)}]</span></td>`;
            },
          )}</tr>`,
      )}</tbody></table></div>`;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    this.style.setProperty('--plot-height', `${this.tall}px`);
    const isStale = ['records', 'view', 'spec'].some((name) => changed.has(name as keyof TabgymChart));
    if (isStale) this.xs = xValues(this.records, this.view.x);
    if (isStale || changed.has('kept')) this.keptXs = keptPositions(this.records, this.xs, this.kept);
    if (!isStale) return;
    this.means = this.spec.series.map((series) => this.meanOf(series));
    this.readPoints();
  }

  protected override updated(changed: PropertyValues<this>) {
    if (!this.plotElement || !this.records.length) return this.drop();
    if (['spec', 'theme', 'view'].some((name) => changed.has(name as keyof TabgymChart))) this.drop();
    if (this.plot && !this.plotElement.contains(this.plot.root)) this.drop();
    if (!this.plot) this.build();
    else if (changed.has('records')) this.plot.setData(this.data());
    else if (changed.has('kept') || changed.has('band')) this.plot.redraw(false);
    else if (changed.has('zoom')) this.plot.setScale('x', { min: this.xs[0], max: this.xs.at(-1)! });
    if (changed.has('selected')) this.keepInSight();
    if (changed.has('tall')) this.fitting.later();
    this.placeMarker();
  }

  /** Moves the line of the selected step, an element over the canvas, so that no chart is redrawn. */
  private placeMarker() {
    if (!this.plot) return;
    const index = this.selected === null ? -1 : this.records.findIndex(({ step }) => step === this.selected);
    const [from, to] = this.zoom ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    this.marker.hidden = index < 0 || this.xs[index] < from || this.xs[index] > to;
    if (!this.marker.hidden)
      this.marker.style.transform = `translateX(${this.plot.valToPos(this.xs[index], 'x') - 0.75}px)`;
    if (this.marker.parentElement !== this.plot.over) this.plot.over.append(this.marker);
  }

  private drop() {
    this.fitting.disconnect();
    this.plot?.destroy();
    this.plot = null;
    this.hovered = null;
  }

  private readPoints() {
    this.points = this.records.flatMap((record, at) =>
      record.evaluation
        ? this.spec.points.map((point, index) => ({
            step: this.xs[at],
            offset: index * 3,
            color: point.color,
            shape: point.shape,
            ...point.read(record.evaluation!),
          }))
        : [],
    );
  }

  private data(): uPlot.AlignedData {
    const columns = this.spec.series.flatMap((series, i) => {
      const mean = this.means[i];
      return mean ? [this.column(series), mean] : [this.column(series)];
    });
    return [this.xs, ...columns];
  }

  private column(series: SeriesSpec) {
    return this.records.map((record) => readSeries(series, record));
  }

  private meanOf(series: SeriesSpec) {
    return this.isSmooth(series) ? smoothed(this.column(series), this.view.smoothing) : null;
  }

  private isSmooth({ smooth }: SeriesSpec) {
    return smooth === true && this.view.smoothing > 0;
  }

  private lines(palette: Palette): uPlot.Series[] {
    const one = (series: SeriesSpec, raw: boolean): uPlot.Series => ({
      label: series.label,
      scale: series.scale === 'right' ? 'right' : 'y',
      stroke: palette.color(series.color, raw ? 0.38 : 1),
      width: raw ? 1 : 2,
      dash: dashes[series.dash],
      points: { show: () => this.records.length < 3 },
      spanGaps: true,
    });
    return this.spec.series.flatMap((series) =>
      this.isSmooth(series) ? [one(series, true), one(series, false)] : [one(series, false)],
    );
  }

  private build() {
    const palette = new Palette(this);
    const options = plotOptions(this, palette, {
      width: this.plotElement!.clientWidth,
      height: this.tall,
      byStep: this.byStep,
      range: this.spec.range,
      right: this.spec.series.some((series) => series.scale === 'right'),
      series: [{ label: msg('Step') }, ...this.lines(palette)],
      zoom: () => this.zoom,
      hover: (index) => {
        this.hovered = index;
      },
      // uPlot settles the scales and the size of the axes only when it draws; the marker's position depends on both.
      hooks: {
        drawClear: [(plot) => this.drawBand(plot, palette)],
        draw: [
          (plot) => drawKept(plot, palette, this.keptXs),
          (plot) => drawPoints(plot, palette, this.points),
          () => this.placeMarker(),
        ],
      },
    });
    this.plot = new uPlot(options, this.data(), this.plotElement!);
    this.plot.over.addEventListener('click', () => this.clicked());
    this.fitting.observe(this.plotElement!);
  }

  private drawBand(plot: uPlot, palette: Palette) {
    if (this.band) drawBand(plot, palette, bandPoints(this.band, this.records, this.xs, this.byStep));
  }

  private clicked() {
    const index = this.plot?.cursor.idx;
    if (index === null || index === undefined) return;
    const { step } = this.records[index];
    if (step > 0) this.send(step);
  }

  private fit(width: number) {
    if (!this.plot || !width || (width === this.plot.width && this.tall === this.plot.height)) return;
    this.plot.setSize({ width, height: this.tall });
    this.placeMarker();
  }
}

const svgDisc = (color: string) => svgPath('M9 1a3 3 0 1 0 0 6a3 3 0 1 0 0-6', color);
const svgDiamond = (color: string) => svgPath('M9 0l4 4l-4 4l-4-4z', color);

function svgPath(d: string, color: string) {
  return svg`<path d=${d} .style=${`fill:var(${color})`} />`;
}
