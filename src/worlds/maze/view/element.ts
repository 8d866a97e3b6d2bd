/**
 * A maze seen from above: walls, start, goal, the agent and its path as a line. Letters and shapes repeat the
 * information of the colors; the view's text is the image's label.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type SVGTemplateResult, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { moveCount } from '../../../ui/kit/counts.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { MazeView, Place } from '../view-data.ts';

/** Side length of a cell in units of the drawing. */
const SIDE = 10;
const middle = (n: number) => n * SIDE + SIDE / 2;
const key = ({ row, column }: Place) => `${row} ${column}`;

@customElement('tabgym-maze-view')
export class TabgymMazeView extends LocalizedElement {
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
        max-height: var(--view-height, min(46vh, 560px));
        border-radius: var(--radius);
        background: #3c4148;
      }
      p {
        width: 100%;
      }
      .floor {
        fill: #fff;
        stroke: #d8d8d2;
        stroke-width: 0.2;
      }
      .floor.seen {
        fill: #dbe9f6;
      }
      .way {
        fill: none;
        stroke: #0072b2;
        stroke-width: 1.6;
        stroke-linecap: round;
        stroke-linejoin: round;
      }
      .start {
        fill: none;
        stroke: #0072b2;
        stroke-width: 1.2;
      }
      .goal {
        fill: #f0e442;
        stroke: #111;
        stroke-width: 0.6;
        stroke-linejoin: round;
      }
      text {
        font-family: var(--sans);
        font-size: 5px;
        font-weight: 700;
        text-anchor: middle;
        dominant-baseline: central;
      }
      .agent {
        fill: #d55e00;
        stroke: #111;
        stroke-width: 0.8;
      }
      .legend {
        color: var(--text-2);
        font-size: var(--size-s);
      }
    `,
  ];

  @property({ attribute: false }) view: MazeView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const { walls, steps } = view;
    const [rows, columns] = [walls.length, walls[0].length];
    return html`
      <svg viewBox="0 0 ${columns * SIDE} ${rows * SIDE}" role="img" aria-label=${view.text} .style=${`max-width:calc(${columns} * var(--view-cell, 40px))`}>
        ${this.renderFloor(view)} ${renderEnds(view)}
        <path class="way" d=${wayOf(view.way)} />
        <circle class="agent" cx=${middle(view.agent.column)} cy=${middle(view.agent.row)} r="3.2" />
      </svg>
      <p class="row spread">
        <span>${view.done ? html`<strong>${this.ending(view)}</strong>` : msg(str`row ${view.agent.row}, column ${view.agent.column}`)}</span>
        <span class="soft number">${moveCount(steps)}</span>
      </p>
      <p class="legend">${msg('Disc: agent. Ring: start. G: goal. Tinted: visited. Line: path so far.')}</p>
    `;
  }

  private ending({ agent, goal }: MazeView): string {
    return key(agent) === key(goal) ? `✓ ${msg('Goal reached')}` : `✕ ${msg('No moves left')}`;
  }

  private renderFloor({ walls, way }: MazeView): SVGTemplateResult[] {
    const seen = new Set(way.map(key));
    return walls.flatMap((cells, row) =>
      cells.flatMap((wall, column) =>
        wall
          ? []
          : [
              svg`<rect class="floor ${seen.has(key({ row, column })) ? 'seen' : ''}" x=${column * SIDE} y=${row * SIDE} width=${SIDE} height=${SIDE} />`,
            ],
      ),
    );
  }
}

function renderEnds({ start, goal }: MazeView): SVGTemplateResult {
  const [x, y] = [goal.column * SIDE, goal.row * SIDE];
  return svg`<circle class="start" cx=${middle(start.column)} cy=${middle(start.row)} r="3.6" />
    <path class="goal" d="M${x + 5} ${y + 0.6}L${x + 9.4} ${y + 5}L${x + 5} ${y + 9.4}L${x + 0.6} ${y + 5}Z" />
    <text x=${x + 5} y=${y + 5.2}>G</text>`;
}

const wayOf = (way: readonly Place[]) =>
  way.map(({ row, column }, k) => `${k ? 'L' : 'M'}${middle(column)} ${middle(row)}`).join('');
