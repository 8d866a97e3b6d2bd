/**
 * Effect of the setting in which a finished run differs from an earlier one: held-out success of both in words, with
 * their intervals, and the way to their curves. Empty if no finished run differs in exactly one setting.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { SplitEvaluation } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { tryCount } from '../kit/counts.ts';
import { controls } from '../kit/styles/shared.ts';
import { newestHeldOut, type SingleChange, singleChange, verdict } from '../state/compare.ts';
import { changeText, ofHundred } from '../state/plain-words.ts';

@customElement('tabgym-change-effect')
export class TabgymChangeEffect extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      section {
        display: grid;
        gap: 6px;
        justify-items: start;
        padding: 12px 14px;
        border-radius: 10px;
        background: var(--surface-2);
      }
      h3 {
        font-size: var(--size-l);
      }
      .rate {
        white-space: nowrap;
      }
    `,
  ];

  constructor() {
    super(['run', 'runs', 'records', 'status']);
  }

  private get change(): SingleChange | null {
    const { run, runs } = this.state;
    return run ? singleChange(run, runs) : null;
  }

  protected override updated() {
    const { change } = this;
    if (change && !this.app.curves.of(change.base))
      void this.app.curves.read([change.base]).then(() => this.requestUpdate());
  }

  override render() {
    const { change } = this;
    const records = change && this.app.curves.of(change.base);
    const before = records && newestHeldOut(records);
    const after = newestHeldOut(this.state.records);
    return change && before && after ? this.renderEffect(change, before, after) : nothing;
  }

  private renderEffect(change: SingleChange, before: SplitEvaluation, after: SplitEvaluation) {
    const rate = ({ policy: { rate, low, high } }: SplitEvaluation) =>
      html`<span class="rate number"><strong>${ofHundred(rate)}</strong> <span class="soft">[${ofHundred(low)}, ${ofHundred(high)}]</span></span>`;
    const ids = [change.base.id, this.state.run!.id];
    return html`<section aria-labelledby="effect"><h3 id="effect">${msg('What the change did')}</h3>
      <p class="number">${changeText(change)}</p>
      <p>${msg('Held-out tasks solved, of 100:')} ${rate(before)} → ${rate(after)}</p>
      <p>${this.verdictText(before, after)}</p>
      <button @click=${() => this.app.layout.compareRuns(ids)}>${msg('See both curves')}</button></section>`;
  }

  private verdictText(before: SplitEvaluation, after: SplitEvaluation) {
    const tries = after.policy.episodes;
    return {
      higher: msg('The intervals in brackets do not overlap: the changed run is better.'),
      lower: msg('The intervals in brackets do not overlap: the changed run is worse.'),
      open: msg(
        str`The intervals in brackets overlap: with ${tryCount(tries)}, such a difference can be luck. Another seed shows how much.`,
      ),
    }[verdict(before.policy, after.policy)];
  }
}
