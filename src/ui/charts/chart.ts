/**
 * One live chart: lines by uPlot, evaluation points with intervals, a cursor shared with the other charts, and a table
 * of the same numbers. A click or the arrow keys select a step. Depends on records and a spec, not on a run.
 */
import { msg, str } from '@lit/localize';
import { html, LitElement, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import uPlot from 'uplot';
import type { StepRecord } from '../../session/protocol.ts';
import { compact, fixed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { highlightStyle } from '../state/highlight.ts';
import { type ChartSpec, readSeries, type SeriesSpec, smoothed } from '../state/series.ts';
import { type ChartView, plainView, xValues } from '../state/x-axis.ts';
import { saveMenu } from './chart-menu.ts';
import { chartStyles } from './chart-styles.ts';
import { type DrawnPoint, drawPoints, resolveColor } from './draw-chart.ts';
import { plotHeight, plotOptions } from './plot-options.ts';
import type { ChartFormat } from './save-chart.ts';

const dashes = { solid: [], dashed: [6, 4], dotted: [2, 3] };
const mostRows = 200;

/** Event `step-select`: carries the selected step. */
export class StepSelectEvent extends Event {
  constructor(readonly step: number) {
    super('step-select', { bubbles: true, composed: true });
  }
}

@customElement('tabgym-chart')
export class TabgymChart extends LitElement {
  static override styles = [controls, chartStyles];

  @property({ attribute: false }) spec!: ChartSpec;
  @property({ attribute: false }) records: readonly StepRecord[] = [];
  @property({ attribute: false }) selected: number | null = null;
  /** Name of the theme. A change redraws the canvas in the new colours. */
  @property({ attribute: false }) theme = '';
  @property({ attribute: false }) view: ChartView = plainView;
  /** Height of the plot in CSS pixels. */
  @property({ type: Number }) tall = plotHeight;
  @property({ attribute: false }) sentences: { name: string; text: string }[] = [];
  @state() private table = false;
  @query('.plot') private plotElement!: HTMLElement | null;
  private plot: uPlot | null = null;
  private points: DrawnPoint[] = [];
  private xs: number[] = [];
  private readonly marker = Object.assign(document.createElement('div'), { className: 'marker' });
  private readonly resized = new ResizeObserver(() => this.fit());

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
    return html`<div class="head" .style=${highlightStyle(`chart.${spec.id}`)}><h3>${spec.title}</h3>
        <span class="tools">${saveMenu(spec.title, empty, (format) => void this.save(format))}
          <button class="link small" aria-label=${`${other}: ${spec.title}`} ?disabled=${empty} @click=${this.toggleTable}>${other}</button></span></div>
      <ul class="legend">${spec.series.map((series) => this.renderKey(series))}${spec.points.map(
        (point) =>
          html`<li><svg class="mark" viewBox="5 0 8 8" aria-hidden="true">${point.shape === 'disc' ? svgDisc(point.color) : svgDiamond(point.color)}</svg>${point.label}</li>`,
      )}</ul>
      ${empty ? html`<div class="none">${msg('No step yet')}</div>` : this.table ? this.renderTable() : this.renderPlot()}`;
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
    const dash = dashes[series.dash].join(' ') || nothing;
    const unit = series.scale === 'right' ? ` (${msg('right', { id: 'side.right' })})` : '';
    return html`<li><svg viewBox="0 0 18 8" aria-hidden="true"><path d="M0 4h18" fill="none" .style=${`stroke:var(${series.color})`} stroke-width="2" stroke-dasharray=${dash} /></svg>${series.label}${unit}</li>`;
  }

  private renderPlot() {
    return html`<div class="plot keeps-arrows" role="slider" tabindex="0" aria-label=${this.summary()} aria-valuemin="0" aria-valuemax=${this.records.at(-1)!.step}
      aria-valuenow=${this.selected ?? this.records.at(-1)!.step} aria-valuetext=${this.valueText()} @keydown=${this.move}></div>`;
  }

  private summary() {
    return msg(str`${this.spec.title} by step. Arrow keys choose a step; the table has all numbers.`);
  }

  private recordAt(step: number | null) {
    return step === null ? this.records.at(-1) : this.records.find((record) => record.step === step);
  }

  private valueText() {
    const record = this.recordAt(this.selected);
    if (!record) return '';
    const parts = this.spec.series.map((series) => `${series.label} ${compact(readSeries(series, record))}`);
    return `${msg(str`Step ${record.step}`)}: ${parts.join(', ')}`;
  }

  private move(event: KeyboardEvent) {
    const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    const last = this.records.at(-1)!.step;
    const now = this.selected ?? last;
    const to = event.key === 'Home' ? 1 : event.key === 'End' ? last : by === undefined ? null : now + by;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.send(Math.max(1, Math.min(last, to)));
  }

  private send(step: number) {
    this.dispatchEvent(new StepSelectEvent(step));
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

  protected override willUpdate() {
    this.style.setProperty('--plot-height', `${this.tall}px`);
  }

  protected override updated(changed: PropertyValues<this>) {
    if (!this.plotElement || !this.records.length) return this.drop();
    if (['spec', 'theme', 'view'].some((name) => changed.has(name as keyof TabgymChart))) this.drop();
    if (this.plot && !this.plotElement.contains(this.plot.root)) this.drop();
    if (!this.plot || changed.has('records')) this.xs = xValues(this.records, this.view.x);
    if (!this.plot || changed.has('records')) this.readPoints();
    if (!this.plot) this.build();
    else if (changed.has('records')) this.plot.setData(this.data());
    if (changed.has('tall')) this.fit();
    this.placeMarker();
  }

  /** Moves the line of the selected step, an element over the canvas, so that no chart is redrawn. */
  private placeMarker() {
    if (!this.plot) return;
    const index = this.selected === null ? -1 : this.records.findIndex(({ step }) => step === this.selected);
    this.marker.hidden = index < 0;
    if (index >= 0) this.marker.style.transform = `translateX(${this.plot.valToPos(this.xs[index], 'x') - 0.75}px)`;
    if (this.marker.parentElement !== this.plot.over) this.plot.over.append(this.marker);
  }

  private drop() {
    this.resized.disconnect();
    this.plot?.destroy();
    this.plot = null;
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
    const columns = this.spec.series.flatMap((series) => {
      const raw = this.records.map((record) => readSeries(series, record));
      return this.isSmooth(series) ? [raw, smoothed(raw, this.view.smoothing)] : [raw];
    });
    return [this.xs, ...columns];
  }

  private isSmooth({ smooth }: SeriesSpec) {
    return smooth === true && this.view.smoothing > 0;
  }

  private lines(): uPlot.Series[] {
    const one = (series: SeriesSpec, raw: boolean): uPlot.Series => ({
      label: series.label,
      scale: series.scale === 'right' ? 'right' : 'y',
      stroke: resolveColor(this, series.color, raw ? 0.38 : 1),
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
    const options = plotOptions(this, {
      width: this.plotElement!.clientWidth,
      height: this.tall,
      byStep: this.view.x === 'step',
      range: this.spec.range,
      right: this.spec.series.some((series) => series.scale === 'right'),
      series: [{ label: msg('Step') }, ...this.lines()],
      // uPlot settles the scales and the size of the axes only when it draws; the marker's position depends on both.
      hooks: { draw: [(plot) => drawPoints(plot, this, this.points), () => this.placeMarker()] },
    });
    this.plot = new uPlot(options, this.data(), this.plotElement!);
    this.plot.over.addEventListener('click', () => this.clicked());
    this.resized.observe(this.plotElement!);
  }

  private clicked() {
    const index = this.plot?.cursor.idx;
    if (index === null || index === undefined) return;
    const { step } = this.records[index];
    if (step > 0) this.send(step);
  }

  private fit() {
    const width = this.plotElement?.clientWidth ?? 0;
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
