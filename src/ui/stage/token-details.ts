/**
 * Details of one token: its source, its probability and the alternatives. Shows the token under the pointer, otherwise
 * the selected one.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { bracketed, fixed, signed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { type TokenFacts, tokenFacts } from '../state/episodes.ts';
import { highlightStyle } from '../state/highlight.ts';
import { tokenText } from './tokens.ts';

const mostAlternatives = 16;

@customElement('tabgym-token-details')
export class TabgymTokenDetails extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        min-height: 128px;
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 1px 12px;
      }
      dt {
        color: var(--text-2);
      }
      .alternatives {
        display: flex;
        flex-wrap: wrap;
        gap: 3px;
        margin-block-start: 4px;
      }
      .alternatives span {
        font-family: var(--mono);
        font-size: var(--size-s);
        padding: 0 5px;
        border-radius: 3px;
        background: var(--surface-3);
      }
      .alternatives .taken {
        background: var(--accent-soft);
        border-block-end: 2px solid var(--policy-ink);
      }
      .scale {
        display: flex;
        align-items: center;
        gap: 6px;
      }
      .ramp {
        height: 8px;
        width: 90px;
        border-radius: 2px;
        border-block-end: 2px solid var(--policy-ink);
        background: linear-gradient(to right, transparent, color-mix(in oklab, var(--policy-ink) 62%, transparent));
      }
    `,
  ];

  @property({ attribute: false }) trajectory: Trajectory | null = null;
  @property({ attribute: false }) texts: readonly string[] | null = null;
  @property({ attribute: false }) position: number | null = null;
  /** Position of the token under the pointer; null: the selected token is shown. */
  @property({ attribute: false }) pointed: number | null = null;

  protected override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('trajectory') || changed.has('position')) this.pointed = null;
  }

  override render() {
    const position = this.pointed ?? this.position;
    if (!this.trajectory || position === null || position >= this.trajectory.tokens.length) return this.renderLegend();
    const facts = tokenFacts(this.trajectory, position);
    const id = this.trajectory.tokens[position];
    return html`<h2>${msg(str`Token ${position + 1}`)}</h2>
      <dl>
        <dt>${msg('Text')}</dt><dd class="mono">${JSON.stringify(tokenText(this.texts, id))} <span class="soft">#${id}</span></dd>
        <dt>${msg('From')}</dt><dd>${this.sourceLabel(facts)}</dd>
        ${facts.logprob === null ? nothing : html`<dt>${msg('Probability')}</dt><dd class="number" .style=${highlightStyle('token')}>${fixed(Math.exp(facts.logprob), 3)} <span class="soft">log ${fixed(facts.logprob, 3)}</span></dd>`}
        ${facts.advantage === null ? nothing : html`<dt>${msg('Advantage')}</dt><dd class="number" .style=${highlightStyle('advantage')}>${signed(facts.advantage)}</dd>`}
        ${facts.source === 'policy' ? html`<dt>${msg('Allowed')}</dt><dd>${this.allowedText(facts)}</dd>` : nothing}
      </dl>
      ${facts.allowed ? this.renderAlternatives(facts.allowed, id) : nothing}`;
  }

  private renderLegend() {
    return html`<h2>${msg('Tokens')}</h2>
      <p class="small">${msg('◆ underlined: chosen by the policy. ○ grey: text of the world. Dotted: the only token allowed. Point at a token or select it to see its numbers.')}</p>
      <p class="scale small soft">${msg('likely')} <span class="ramp"></span> ${msg('unlikely')}</p>`;
  }

  private sourceLabel(facts: TokenFacts) {
    const where = facts.turn < 0 ? msg('the task') : msg(str`turn ${facts.turn + 1}`);
    const who = { policy: msg('the policy'), world: msg('the world'), template: msg('the template') }[facts.source];
    return html`${who} <span class="soft">· ${where}</span>`;
  }

  private allowedText(facts: TokenFacts) {
    if (facts.forced) return msg('only this token, so it is not trained on');
    return facts.allowed ? msg(str`one of ${facts.allowed.length}`) : msg('the whole vocabulary');
  }

  private renderAlternatives(allowed: Int32Array, taken: number) {
    const list = [...allowed.subarray(0, mostAlternatives)];
    return html`<div class="alternatives">${list.map(
      (id) =>
        html`<span class=${id === taken ? 'taken' : ''}>${tokenText(this.texts, id).replaceAll('\n', '↵')}${id === taken ? html`<span class="visually-hidden">${bracketed(msg('taken'))}</span>` : nothing}</span>`,
    )}${allowed.length > list.length ? html`<span>+${allowed.length - list.length}</span>` : nothing}</div>`;
  }
}
