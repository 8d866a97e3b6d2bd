/**
 * Drawing of BabyAI's grid. Shapes and letters carry the same information as the colours, so that nothing depends on
 * colour alone; the agent's field of view is light, the rest is shaded. The image's label is the view's text.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type SVGTemplateResult, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { BabyAiView, GridCell } from '../view-data.ts';

/** Colours of Okabe and Ito's palette where it has them; each is dark enough, or outlined, on a light cell. */
const fills: { [color: string]: string } = {
  red: '#d55e00',
  green: '#009e73',
  blue: '#0072b2',
  purple: '#8a3f8f',
  yellow: '#f0e442',
  grey: '#8a8f96',
};
/** Colour of the letter on a thing: dark on the light fills. */
const inks: { [color: string]: string } = { red: '#000', green: '#000', yellow: '#000', grey: '#000' };
const letters: { [color: string]: string } = { red: 'R', green: 'G', blue: 'B', purple: 'P', yellow: 'Y', grey: 'E' };

const letter = (color: string, x: number, y: number, size = 34) =>
  svg`<text x=${x} y=${y} font-size=${size} fill=${inks[color] ?? '#fff'}>${letters[color] ?? ''}</text>`;

/** Drawings of things in a cell of 100 by 100. */
const shapes: { [type: string]: (cell: Pick<GridCell, 'color' | 'state'>) => SVGTemplateResult } = {
  ball: ({ color }) =>
    svg`<circle class="thing" cx="50" cy="50" r="34" fill=${fills[color]} />${letter(color, 50, 52, 40)}`,
  box: ({ color }) =>
    svg`<rect class="thing" x="16" y="20" width="68" height="62" fill=${fills[color]} /><path class="thing" d="M16 36H84" />${letter(color, 50, 61)}`,
  key: ({ color }) =>
    svg`<path class="thing" fill=${fills[color]} d="M44 46H58V64H72V74H58V82H72V92H44Z" /><circle class="thing" cx="51" cy="30" r="24" fill=${fills[color]} />${letter(color, 51, 32)}`,
  door: ({ color, state }) => door(color, state),
};

/** Open: a leaf at the side. Closed: a full leaf with a handle. Locked: a full leaf with a keyhole and bars. */
function door(color: string, state: string): SVGTemplateResult {
  const fill = fills[color];
  if (state === 'open')
    return svg`<rect class="frame" x="6" y="6" width="88" height="88" stroke=${fill} /><rect class="thing" x="6" y="6" width="26" height="88" fill=${fill} />${letter(color, 19, 52, 28)}`;
  const mark =
    state === 'locked'
      ? svg`<path class="bars" d="M6 20H94M6 80H94" /><circle cx="78" cy="46" r="7" fill="#000" /><path d="M75 48H81L84 64H72Z" fill="#000" />`
      : svg`<circle cx="80" cy="50" r="7" fill="#000" />`;
  return svg`<rect class="thing" x="6" y="6" width="88" height="88" fill=${fill} />${mark}${letter(color, 44, 52, 44)}`;
}

const turns = { right: 0, down: 90, left: 180, up: 270 };

@customElement('tabgym-babyai-grid')
export class TabgymBabyAiGrid extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
        justify-items: center;
      }
      svg {
        width: 100%;
        max-height: var(--view-height, min(42vh, 560px));
        border-radius: var(--radius);
      }
      p {
        width: 100%;
      }
      text {
        font-family: var(--sans);
        font-weight: 700;
        text-anchor: middle;
        dominant-baseline: central;
      }
      .floor {
        fill: #fff;
        stroke: #d8d8d2;
        stroke-width: 2;
      }
      .floor.unseen {
        fill: #c3c4c1;
        stroke: #b4b5b2;
      }
      .wall {
        fill: #3c4148;
      }
      .wall.seen {
        fill: #646b75;
      }
      .thing {
        stroke: #111;
        stroke-width: 4;
        stroke-linejoin: round;
      }
      .frame {
        fill: none;
        stroke-width: 8;
      }
      .bars {
        stroke: #000;
        stroke-width: 6;
      }
      .agent {
        fill: #111;
        stroke: #fff;
        stroke-width: 6;
        stroke-linejoin: round;
      }
      .legend {
        color: var(--text-2);
        font-size: var(--size-s);
      }
      .goal {
        font-size: var(--size-l);
      }
    `,
  ];

  @property({ attribute: false }) view: BabyAiView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const [rows, columns] = [view.cells.length, view.cells[0].length];
    const { carrying } = view;
    return html`
      <p class="goal">${msg('Goal')}${colon()}<strong>${view.goal}</strong></p>
      <svg viewBox="0 0 ${columns * 100} ${rows * 100}" role="img" aria-label=${view.text} .style=${`max-width:calc(${columns} * var(--view-cell, 64px))`}>
        ${view.cells.flatMap((row, y) => row.map((cell, x) => drawCell(cell, x, y)))}
        ${this.drawAgent(view)}
      </svg>
      <p class="row spread">
        <span>${msg('Carries')}${colon()}<strong>${carrying ? `${carrying.color} ${carrying.type}` : msg('nothing')}</strong></span>
        <span class="soft number">${msg(str`level ${view.level}, ${view.steps} of ${view.maxSteps} moves`)}</span>
      </p>
      <p class="legend">${msg('Light: what the agent sees. Letters: R red, G green, B blue, P purple, Y yellow, E grey.')}</p>
    `;
  }

  private drawAgent({ agent, carrying }: BabyAiView) {
    const at = `translate(${agent.x * 100} ${agent.y * 100})`;
    return svg`<g transform=${at}>
      <path class="agent" transform="rotate(${turns[agent.direction]} 50 50)" d="M18 18L86 50L18 82L32 50Z" />
      ${carrying ? svg`<g transform="translate(52 52) scale(0.48)">${shapes[carrying.type]?.({ color: carrying.color, state: '' })}</g>` : nothing}
    </g>`;
  }
}

function drawCell(cell: GridCell, x: number, y: number): SVGTemplateResult {
  const at = `translate(${x * 100} ${y * 100})`;
  if (cell.type === 'wall')
    return svg`<rect class="wall ${cell.seen ? 'seen' : ''}" x=${x * 100} y=${y * 100} width="100" height="100" />`;
  return svg`<g transform=${at}><rect class="floor ${cell.seen ? '' : 'unseen'}" width="100" height="100" />${shapes[cell.type]?.(cell) ?? nothing}</g>`;
}
