/** Scores of a judge beside the world's success, over the episodes of the shown step. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { type Calibration, calibrationOf } from '../../rl/rewards/calibration.ts';
import { Panel } from '../control/panel.ts';
import { episodeCount } from '../kit/counts.ts';
import { fixed, percent } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { partsOf } from '../state/reward-parts.ts';

@customElement('tabgym-judge-calibration')
export class TabgymJudgeCalibration extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 4px;
      }
    `,
  ];

  /** Column of the judge's part. */
  @property() column = '';

  constructor() {
    super(['detail']);
  }

  private get calibration(): Calibration | null {
    const { detail } = this.state;
    if (detail.state !== 'ready') return null;
    const scores = detail.value.trajectories.flatMap((each) => {
      const score = partsOf(each).find(({ column }) => column === this.column)?.value ?? null;
      return score === null ? [] : [{ score, good: each.success }];
    });
    return scores.length ? calibrationOf(scores) : null;
  }

  override render() {
    const found = this.calibration;
    return html`<h4>${msg('Judge beside the world’s success')}</h4>${
      found
        ? this.renderFound(found)
        : html`<p class="soft small">${msg('After a training step, the judge’s scores are compared here with the world’s success.')}</p>`
    }`;
  }

  private renderFound({ episodes, good, meanGood, meanOther, order, table }: Calibration) {
    const means = msg(str`Mean score of successes ${fixed(meanGood)}, of the others ${fixed(meanOther)}.`);
    return html`<p class="small">${msg(str`${episodeCount(episodes)} of the shown step, ${good} of them successes.`)}
        ${order === null ? msg('Only episodes of one kind: nothing to compare.') : msg(str`A success has the higher score in ${percent(order)} of pairs; at random it is 50%.`)}
        ${order === null ? nothing : means}</p>
      <table class="small"><thead><tr><th>${msg('Score')}</th><th class="number">${msg('Episodes')}</th><th class="number">${msg('Successes')}</th></tr></thead>
        <tbody>${table.map(
          (each) =>
            html`<tr><td>${fixed(each.from, 1)}–${fixed(each.to, 1)}</td><td class="number">${each.episodes}</td><td class="number">${each.good}</td></tr>`,
        )}</tbody></table>`;
  }
}
