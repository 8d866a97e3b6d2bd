/**
 * Tokens that the policy could have chosen in place of the selected one, with their probabilities before and after the
 * step, and a slider that shows them at another temperature. They are computed on demand, since that loads the weights
 * of two steps; once asked for, they follow the selection.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { TokenAlternative } from '../../session/protocol.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { bracketed, fixed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { tokenKey } from '../state/focus.ts';
import { type Place, placeOf } from '../state/place.ts';
import { atTemperature } from '../state/temperature.ts';
import { tokenText } from './tokens.ts';

/** Probabilities that sum to less leave out tokens, and a temperature cannot be applied to them. */
const complete = 0.995;

@customElement('tabgym-alternatives')
export class TabgymAlternatives extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      .head {
        margin-block: 6px 4px;
      }
      ol {
        list-style: none;
        display: grid;
        gap: 3px;
      }
      li {
        display: grid;
        grid-template-columns: minmax(60px, 38%) minmax(0, 1fr) auto;
        gap: 8px;
        align-items: center;
      }
      .text {
        font-family: var(--mono);
        font-size: var(--size-s);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        padding-inline: 4px;
      }
      .taken .text {
        background: var(--accent-soft);
        border-block-end: 2px solid var(--policy-ink);
      }
      .bars {
        display: grid;
        gap: 1px;
      }
      .bar {
        height: 6px;
        border-radius: 2px;
        min-width: 1px;
        background: var(--series-1);
        transition: width 700ms ease-out;
      }
      .bar.before {
        height: 3px;
        background: var(--line-strong);
      }
      .temperature {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        gap: 8px;
        align-items: center;
        margin-block-start: 8px;
      }
    `,
  ];

  @state() private temperature: number | null = null;

  constructor() {
    super(['selection', 'detail', 'records', 'run', 'status', 'alternatives', 'tokenTexts']);
  }

  protected override updated() {
    // Later tokens follow without another click.
    if (this.state.alternatives.state !== 'none' && !isActive(this.state.status))
      void this.app.navigation.loadAlternatives();
  }

  override render() {
    const place = placeOf(this.state);
    const { alternatives, status } = this.state;
    if (place.facts?.source !== 'policy' || place.row === null || !place.facts.allowed) return nothing;
    if (isActive(status))
      return html`<p class="soft small">${msg('Pause the run to see the probabilities of the alternatives.')}</p>`;
    if (alternatives.state === 'none')
      return html`<button data-do="alternatives" @click=${() => this.app.navigation.loadAlternatives()}>${msg('Show their probabilities')}</button>`;
    const old = alternatives.state === 'ready' && alternatives.value.key !== tokenKey(this.state);
    if (alternatives.state === 'loading' || old)
      return html`<p class="soft small" role="status">${msg('Scoring the alternatives')}…</p>`;
    if (alternatives.state === 'error') return html`<p class="message error">${alternatives.message}</p>`;
    const list = alternatives.state === 'ready' ? alternatives.value.list : null;
    if (!list)
      return html`<p class="soft small">${msg('The weights of this step are no longer stored. Choose the newest step.')}</p>`;
    return this.renderList(list, place);
  }

  private renderList(list: readonly TokenAlternative[], { experiment, trajectory, token }: Place) {
    const sampled = experiment?.sampling.temperature ?? 1;
    const chosen = token === null ? undefined : trajectory?.tokens[token];
    const temperature = this.temperature ?? sampled;
    const whole = list.reduce((sum, each) => sum + each.before, 0) > complete;
    const move = (values: number[]) => (whole ? atTemperature(values, sampled, temperature) : values);
    const before = move(list.map((each) => each.before));
    const after = move(list.map((each) => each.after));
    const order = list.map((_, k) => k).sort((a, b) => list[b].before - list[a].before);
    return html`<p class="head small soft">${msg('Alternatives: probability before → after the update')}</p>
      <ol>${order.map((k) => this.renderOne(list[k].token, list[k].token === chosen, { before: before[k], after: after[k] }))}</ol>
      ${whole ? this.renderTemperature(temperature, sampled) : nothing}`;
  }

  private renderOne(token: number, taken: boolean, { before, after }: { before: number; after: number }) {
    const width = (value: number) => `width:${100 * value}%`;
    return html`<li class=${taken ? 'taken' : ''}>
      <span class="text">${tokenText(this.state.tokenTexts, token).replaceAll('\n', '↵')}${taken ? html`<span class="visually-hidden">${bracketed(msg('taken'))}</span>` : nothing}</span>
      <span class="bars" aria-hidden="true"><span class="bar before" .style=${width(before)}></span><span class="bar" .style=${width(after)}></span></span>
      <span class="number small">${fixed(before, 3)} → <strong class=${after > before ? 'good' : 'bad'}>${fixed(after, 3)}</strong></span></li>`;
  }

  private renderTemperature(temperature: number, sampled: number) {
    const set = (event: Event) => {
      this.temperature = Number((event.target as HTMLInputElement).value);
    };
    return html`<label class="temperature small"><span>${msg('Temperature')}</span>
        <input type="range" min="0.1" max="3" step="0.05" .value=${String(temperature)} @input=${set} />
        <output class="number">${fixed(temperature)}</output></label>
      <p class="small soft">${msg(str`The episodes were sampled at ${fixed(sampled)}. Lower: the likeliest token nearly always. Higher: all nearly equally often.`)}
        ${temperature === sampled ? nothing : html`<button class="link" @click=${() => (this.temperature = null)}>${msg('Back')}</button>`}</p>`;
  }
}
