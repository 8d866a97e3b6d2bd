/** A run's goals, where a rule chooses them: map, table and timelines of the families, and the skills that were learnt. */
import { msg, str } from '@lit/localize';
import { css, html, nothing, svg } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { drawCount, episodeCount, goalCount, partCount } from '../kit/counts.ts';
import { colon, fixed, listed, signed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { stratumLabel, worldTitle } from '../state/labels.ts';
import { type GoalCell, type GoalTile, goalTiles, goalTimeline, skillRows } from './goal-map.ts';
import { type GoalRow, type GoalState, goalRows, isOfFamily } from './goal-rows.ts';

type Metrics = { readonly [name: string]: number };

const stateNames = (): { [state in GoalState]: string } => ({
  new: msg('not tried yet'),
  'out-of-reach': msg('out of reach'),
  frontier: msg('at the frontier'),
  mastered: msg('mastered'),
});

/** A family's name with the title of its world, and its property in the page's language. */
const familyTitle = (family: string) => {
  const [world, ...strata] = family.split(', ');
  return [world.replace(/^[^ ]+/, worldTitle), ...strata.map(stratumLabel)].join(', ');
};

/** Width of a bar for 1, in CSS pixels. */
const barWidth = 72;
/** Side of the largest tile, and size of a cell of a timeline, in CSS pixels. */
const tileSide = 56;
const cell = { width: 5, height: 20 };

/** Heat of a success rate: its share of the colour of success. */
const heat = (success: number | null): string =>
  success === null
    ? 'var(--line)'
    : `color-mix(in oklab, var(--series-1) ${Math.round(100 * success)}%, var(--series-2))`;

@customElement('tabgym-goals')
export class TabgymGoals extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      .wide {
        overflow-x: auto;
      }
      td.number,
      th.number {
        padding-inline-end: 12px;
      }
      td,
      th {
        vertical-align: middle;
      }
      svg {
        vertical-align: middle;
      }
      .map {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: 6px;
        margin-block: 6px;
      }
      .tile {
        display: grid;
        justify-items: center;
        gap: 2px;
        padding: 2px;
        border: 0;
        background: none;
        color: inherit;
        font: inherit;
        cursor: pointer;
      }
      .tile i {
        display: block;
        min-inline-size: 6px;
        min-block-size: 6px;
        border-radius: 3px;
      }
      .timeline rect {
        cursor: pointer;
      }
      .ground {
        fill: var(--line);
      }
      .success {
        fill: var(--series-1);
      }
      .share {
        fill: var(--series-2);
      }
    `,
  ];

  constructor() {
    super(['records', 'kept']);
  }

  override render() {
    const { records } = this.state;
    const rows = goalRows(records);
    if (!rows.length) return nothing;
    const record = records.findLast(({ metrics }) => 'goalsWaiting' in metrics)!;
    const { metrics } = record;
    const { goalsWaiting: waiting, goalsSolvedLater: solved, goalsGivenUp: givenUp } = metrics;
    return html`<h3>${msg('Goals')} <span class="soft">${msg(str`at step ${record.step}`)}</span></h3>
      ${this.renderMap(goalTiles(rows))}
      <div class="wide"><table class="small"><thead><tr><th scope="col">${msg('Family of goals')}</th><th scope="col">${msg('Success')}</th>
        <th scope="col" class="number">${msg('Change in 10 steps')}</th><th scope="col">${msg('Share of the draws')}</th>
        <th scope="col" class="number">${msg('Draws so far')}</th><th scope="col">${msg('Over the run')}</th><th scope="col">${msg('State')}</th></tr></thead>
        <tbody>${rows.map((row) => this.renderRow(row))}</tbody></table></div>
      ${
        waiting + solved + givenUp > 0
          ? html`<p class="small soft">${msg(str`Failed by a whole group: ${goalCount(waiting)} to be tried again, ${goalCount(solved)} solved at a later try, ${goalCount(givenUp)} given up.`)}</p>`
          : nothing
      }${this.renderStores(metrics)}${this.renderSkills()}`;
  }

  /** Tiles of the families: heat by success, area by draws. The table holds the same numbers. */
  private renderMap(tiles: readonly GoalTile[]) {
    return html`<p class="small soft">${msg('A tile’s color is the success of its family, its area the number of draws.')}</p>
      <div class="map">${tiles.map(({ family, success, draws, side }) => {
        const words = success === null ? msg('not tried yet') : msg(str`success ${fixed(success)}`);
        const size = Math.max(6, Math.round(tileSide * side));
        const label = `${familyTitle(family)}${colon()}${listed([words, drawCount(draws)])}`;
        return html`<button class="tile small" aria-label=${label} title=${label}
          @click=${() => this.show(family)}><i .style=${`width:${size}px;height:${size}px;background:${heat(success)}`}></i>${familyTitle(family).split(', ').at(-1)}</button>`;
      })}</div>`;
  }

  private renderTimeline(family: string, cells: readonly GoalCell[]) {
    const label = msg(str`Success and share of ${familyTitle(family)} over the run`);
    return html`<svg class="timeline" role="img" aria-label=${label} width=${cells.length * cell.width} height=${cell.height}>
      ${cells.map(({ step, success, share }, i) => {
        const height = Math.max(2, Math.round(cell.height * Math.min(1, share)));
        return svg`<rect x=${i * cell.width} y=${cell.height - height} width=${cell.width - 1} height=${height} .style=${`fill:${heat(success)}`}
          @click=${() => this.show(family, step)}><title>${msg(str`Step ${step}`)}</title></rect>`;
      })}</svg>`;
  }

  /** Kept episodes, and parts of failed tasks. */
  private renderStores({ goalsKept: kept = 0, goalsParts: parts = 0, goalsPartsSolved: solved = 0 }: Metrics) {
    return html`${kept > 0 ? html`<p class="small soft">${msg(str`Kept successes: ${episodeCount(kept)}.`)}</p>` : nothing}
      ${parts + solved > 0 ? html`<p class="small soft">${msg(str`Parts of failed tasks: ${partCount(parts)} to be practised, ${partCount(solved)} solved.`)}</p>` : nothing}`;
  }

  private renderSkills() {
    const skills = skillRows(this.state.records);
    if (!skills.length) return nothing;
    return html`<table class="small"><thead><tr><th scope="col">${msg('Skill')}</th><th scope="col" class="number">${msg('Uses')}</th></tr></thead>
      <tbody>${skills.map(({ skill, uses }) => html`<tr><th scope="row">${skill.replace(/^\* /, '')}</th><td class="number">${uses}</td></tr>`)}</tbody></table>`;
  }

  private renderRow({ family, success, change, share, draws, state }: GoalRow) {
    const bar = (value: number, kind: 'success' | 'share') =>
      html`<svg width=${barWidth} height="8" aria-hidden="true"><rect class="ground" width=${barWidth} height="8" rx="4"></rect>
        <rect class=${kind} width=${Math.round(barWidth * Math.min(1, Math.max(0, value)))} height="8" rx="4"></rect></svg>`;
    return html`<tr><th scope="row"><button class="link" title=${msg('Show an episode of this family')} @click=${() => this.show(family)}>${familyTitle(family)}</button></th>
      <td>${success === null ? '–' : html`${bar(success, 'success')} <span class="number">${fixed(success)}</span>`}</td>
      <td class="number">${change === null ? '–' : signed(change)}</td>
      <td>${bar(share, 'share')} <span class="number">${fixed(share)}</span></td>
      <td class="number">${draws}</td><td>${this.renderTimeline(family, goalTimeline(this.state.records, family))}</td><td class="soft">${stateNames()[state]}</td></tr>`;
  }

  /** Shows a group of the family in a step, or in the newest step whose episodes are kept. */
  private show(family: string, chosen?: number) {
    const { records, kept } = this.state;
    const step = chosen ?? kept.at(-1) ?? records.at(-1)?.step ?? 0;
    void this.app.navigation.showGroup(step, ([first]) => isOfFamily(first.task, family));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tabgym-goals': TabgymGoals;
  }
}
