/**
 * An episode turn by turn: the world's current view next to its actions and observations, newest turn first. Used for
 * live, recorded and watched episodes.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { LiveTurn } from '../../session/protocol.ts';
import { colon, fixed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import '../worlds/world-view.ts';

@customElement('tabgym-episode')
export class TabgymEpisode extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        container-type: inline-size;
      }
      .episode {
        display: grid;
        gap: 14px;
        grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr);
        align-items: start;
      }
      @container (max-width: 700px) {
        .episode {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      ol {
        list-style: none;
        display: grid;
        gap: 6px;
      }
      li {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 5px 8px;
        overflow-wrap: anywhere;
      }
      li.newest {
        border-color: var(--accent);
      }
      .action {
        font-family: var(--mono);
        white-space: pre-wrap;
        border-inline-start: 3px solid var(--policy-ink);
        padding-inline-start: 6px;
      }
      .thought {
        font-family: var(--mono);
        color: var(--text-2);
        white-space: pre-wrap;
        border-inline-start: 3px dotted var(--policy-ink);
        padding-inline-start: 6px;
      }
      .observation {
        font-family: var(--mono);
        color: var(--text-2);
        white-space: pre-wrap;
        padding-inline-start: 9px;
        max-height: 6.5em;
        overflow: auto;
      }
      .turn {
        font-size: var(--size-s);
        color: var(--text-2);
      }
    `,
  ];

  @property({ attribute: false }) turns: readonly LiveTurn[] = [];

  override render() {
    const last = this.turns.at(-1);
    if (!last) return nothing;
    return html`<div class="episode">
      <tabgym-world-view .view=${last.view}></tabgym-world-view>
      <ol aria-label=${msg('Turns, newest first')}>
        ${[...this.turns].reverse().map((turn, index) => this.renderTurn(turn, index === 0))}
      </ol>
    </div>`;
  }

  /** Only an observation that scrolls is a stop of Tab: most fit, and an episode has many turns. */
  protected override updated() {
    for (const each of this.renderRoot.querySelectorAll('.observation')) {
      if (each.scrollHeight > each.clientHeight) each.setAttribute('tabindex', '0');
      else each.removeAttribute('tabindex');
    }
  }

  private renderTurn(turn: LiveTurn, newest: boolean) {
    const won = turn.reward > 0;
    const reward = html`<span class="badge ${won ? 'good' : ''}"
      >${won ? '✓' : '■'} ${msg(str`reward ${fixed(turn.reward, 1)}`)}</span
    >`;
    return html`<li class=${newest ? 'newest' : ''}>
      <div class="turn row spread"><span>${msg(str`Turn ${turn.turn + 1}`)}</span>${turn.done ? reward : nothing}</div>
      ${turn.thought ? html`<div class="thought"><span class="visually-hidden">${msg('Thought')}${colon()}</span>${turn.thought}</div>` : nothing}
      <div class="action"><span class="visually-hidden">${msg('Policy')}${colon()}</span>${turn.reply ?? turn.action}</div>
      <div class="observation" role="group" aria-label=${msg('World')}>${turn.observation}</div>
    </li>`;
  }
}
