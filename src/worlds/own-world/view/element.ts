/** A typed world's view: lines, a grid of symbols, a table, a picture of shapes. Texts are set as texts, never as markup. */
import { css, html, LitElement, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { OwnView, Shape, ViewPart } from '../view-data.ts';

/** Okabe and Ito's colours, which people with colour blindness can tell apart. */
const colours: { readonly [colour in Shape['colour']]: string } = {
  black: '#111111',
  grey: '#8a8f98',
  red: '#d55e00',
  orange: '#e69f00',
  green: '#009e73',
  blue: '#0072b2',
  purple: '#cc79a7',
};

@customElement('tabgym-own-view')
export class TabgymOwnView extends LitElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
        justify-items: start;
        min-width: 0;
      }
      .lines {
        margin: 0;
        max-width: 100%;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        font: inherit;
      }
      .scroll {
        max-width: 100%;
        overflow: auto;
      }
      .grid {
        display: grid;
        font: var(--size-m) / 1.4 var(--mono);
      }
      .grid > div {
        display: flex;
      }
      .grid span {
        min-width: 1.4em;
        height: 1.4em;
        text-align: center;
        border: 1px solid var(--line);
        margin: -1px 0 0 -1px;
        padding: 0 2px;
      }
      table {
        width: auto;
      }
      svg {
        width: 100%;
        max-height: var(--view-height, min(46vh, 560px));
        border-radius: var(--radius);
        border: 1px solid var(--line);
        background: #fff;
      }
    `,
  ];

  @property({ attribute: false }) view: OwnView | null = null;

  override render() {
    return this.view?.parts.map((part) => this.renderPart(part)) ?? nothing;
  }

  private renderPart(part: ViewPart): TemplateResult {
    if (part.kind === 'lines') return html`<p class="lines">${part.lines.join('\n')}</p>`;
    if (part.kind === 'grid') return renderGrid(part.rows);
    if (part.kind === 'table') return renderTable(part);
    return renderPicture(part, this.view?.text ?? '');
  }
}

const renderGrid = (rows: string[][]) =>
  html`<div class="scroll"><div class="grid" role="img" aria-label=${rows.map((row) => row.join(' ')).join('\n')}>${rows.map(
    (row) => html`<div aria-hidden="true">${row.map((cell) => html`<span>${cell}</span>`)}</div>`,
  )}</div></div>`;

const renderTable = ({ columns, rows }: ViewPart & { kind: 'table' }) =>
  html`<div class="scroll"><table>
    <thead><tr>${columns.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;

const renderPicture = ({ width, height, shapes, text }: ViewPart & { kind: 'picture' }, all: string) =>
  html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${text || all} .style=${`max-width:${Math.max(160, Math.min(width * 40, 560))}px`}>${shapes.map(renderShape)}</svg>`;

function renderShape({ kind, x, y, x2, y2, size, colour, label }: Shape): SVGTemplateResult {
  const fill = colours[colour];
  const half = size / 2;
  if (kind === 'line')
    return svg`<line x1=${x} y1=${y} x2=${x2} y2=${y2} stroke=${fill} stroke-width=${Math.max(size, 0.02)}></line>`;
  const words = (colourOf: string) =>
    label
      ? svg`<text x=${x} y=${y} fill=${colourOf} font-size=${size * 0.7} text-anchor="middle" dominant-baseline="central">${label}</text>`
      : nothing;
  if (kind === 'text') return svg`<g>${words(fill)}</g>`;
  const shape =
    kind === 'circle'
      ? svg`<circle cx=${x} cy=${y} r=${half} fill=${fill}></circle>`
      : kind === 'square'
        ? svg`<rect x=${x - half} y=${y - half} width=${size} height=${size} fill=${fill}></rect>`
        : svg`<path d="M${x} ${y - half}L${x + half} ${y + half}L${x - half} ${y + half}Z" fill=${fill}></path>`;
  return svg`<g>${shape}${words('#ffffff')}</g>`;
}
