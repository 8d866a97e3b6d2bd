/** Table of a run's goals, where a rule chooses them: which families it draws, and how well they are known. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { goalCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { type GoalRow, type GoalState, goalRows, isOfFamily } from './goal-rows.ts';

const stateNames = (): { [state in GoalState]: string } => ({
  new: msg('not tried yet'),
  'out-of-reach': msg('out of reach'),
  frontier: msg('at the frontier'),
  mastered: msg('mastered'),
});

/** Width of a bar for 1, in CSS pixels. */
const barWidth = 72;

@customElement('tabgym-goals')
export class TabgymGoals extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        overflow-x: auto;
      }
      td,
      th {
        vertical-align: middle;
      }
      svg {
        vertical-align: middle;
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
    const { goalsWaiting: waiting, goalsSolvedLater: solved, goalsGivenUp: givenUp } = record.metrics;
    return html`<h3>${msg('Goals')} <span class="soft">${msg(str`at step ${record.step}`)}</span></h3>
      <table class="small"><thead><tr><th scope="col">${msg('Family of goals')}</th><th scope="col">${msg('Success')}</th>
        <th scope="col" class="number">${msg('Change in 10 steps')}</th><th scope="col">${msg('Share of the draws')}</th>
        <th scope="col" class="number">${msg('Draws so far')}</th><th scope="col"></th></tr></thead>
        <tbody>${rows.map((row) => this.renderRow(row))}</tbody></table>
      ${
        waiting + solved + givenUp > 0
          ? html`<p class="small soft">${msg(str`Failed by a whole group: ${goalCount(waiting)} to be tried again, ${goalCount(solved)} solved at a later try, ${goalCount(givenUp)} given up.`)}</p>`
          : nothing
      }`;
  }

  private renderRow({ family, success, change, share, draws, state }: GoalRow) {
    const bar = (value: number, kind: 'success' | 'share') =>
      html`<svg width=${barWidth} height="8" aria-hidden="true"><rect class="ground" width=${barWidth} height="8" rx="4"></rect>
        <rect class=${kind} width=${Math.round(barWidth * Math.min(1, Math.max(0, value)))} height="8" rx="4"></rect></svg>`;
    return html`<tr><th scope="row"><button class="link" title=${msg('Show an episode of this family')} @click=${() => this.show(family)}>${family}</button></th>
      <td>${success === null ? '–' : html`${bar(success, 'success')} <span class="number">${fixed(success)}</span>`}</td>
      <td class="number">${change === null ? '–' : signed(change)}</td>
      <td>${bar(share, 'share')} <span class="number">${fixed(share)}</span></td>
      <td class="number">${draws}</td><td class="soft">${stateNames()[state]}</td></tr>`;
  }

  /** Shows a group of the family, in the newest step whose episodes are kept. */
  private show(family: string) {
    const { records, kept } = this.state;
    const step = kept.at(-1) ?? records.at(-1)?.step ?? 0;
    void this.app.navigation.showGroup(step, ([first]) => isOfFamily(first.task, family));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tabgym-goals': TabgymGoals;
  }
}
