/**
 * Wordle's tiles and keyboard. Every color also has a sign and a label, so that no information depends on color alone.
 * When a person plays, the next row shows the typed letters, and the keys can be clicked.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { tryCount } from '../../../ui/kit/counts.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { Colour, WordleView } from '../view-data.ts';

const LETTERS = 5;
const keyRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const signs: { [colour in Colour]: string } = { here: '✓', elsewhere: '↔', absent: '×' };

/** Label of each color, as functions so that they are evaluated in the page's current language. */
const labelOf: { [colour in Colour]: () => string } = {
  here: () => msg('in its place'),
  elsewhere: () => msg('in another place'),
  absent: () => msg('not in the word'),
};

@customElement('tabgym-wordle-view')
export class TabgymWordleView extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 12px;
        justify-items: center;
      }
      ol,
      .keys div {
        display: grid;
        gap: 5px;
        padding: 0;
        list-style: none;
      }
      ol {
        width: min(100%, 195px);
      }
      .guess {
        display: grid;
        grid-template-columns: repeat(5, 1fr);
        gap: 5px;
      }
      .tile {
        position: relative;
        display: grid;
        place-items: center;
        aspect-ratio: 1;
        border: 2px solid var(--line-strong);
        border-radius: 3px;
        font-size: 1.3rem;
        font-weight: 700;
        text-transform: uppercase;
      }
      .tile.typed {
        border-color: var(--text);
      }
      .sign {
        position: absolute;
        inset: 1px 3px auto auto;
        font-size: 0.65rem;
        line-height: 1;
      }
      .here {
        border-color: #19754a;
        background: #19754a;
        color: #fff;
      }
      .elsewhere {
        border-color: #f0c23c;
        background: #f0c23c;
        color: #111;
      }
      .tile.elsewhere {
        border-radius: 50%;
      }
      .absent {
        border-color: #5b6068;
        background: #5b6068;
        color: #fff;
      }
      .keys {
        display: grid;
        gap: 5px;
        width: min(100%, 420px);
        justify-items: center;
      }
      .keys div {
        grid-auto-flow: column;
        gap: 4px;
      }
      .key {
        position: relative;
        min-width: 24px;
        min-height: 32px;
        padding: 4px 7px;
        border: 1px solid var(--line-strong);
        border-radius: 3px;
        font-weight: 650;
        text-align: center;
        text-transform: uppercase;
      }
      .key .sign {
        inset: 1px 2px auto auto;
        font-size: 0.55rem;
      }
      button.key:is(.here, .elsewhere, .absent):hover:not(:disabled) {
        filter: brightness(1.1);
      }
      button.here:hover:not(:disabled) {
        background: #19754a;
      }
      button.elsewhere:hover:not(:disabled) {
        background: #f0c23c;
      }
      button.absent:hover:not(:disabled) {
        background: #5b6068;
      }
      .legend {
        color: var(--text-2);
        font-size: var(--size-s);
      }
      @media (max-width: 480px) {
        .key {
          min-width: 20px;
          padding: 4px 5px;
        }
      }
    `,
  ];

  @property({ attribute: false }) view: WordleView | null = null;
  /** Text typed for the next guess, or null if nobody plays in this view. */
  @property({ attribute: false }) typed: string | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`
      <ol aria-label=${msg('Guesses')}>${Array.from({ length: view.tries }, (_, k) => this.renderTry(view, k))}</ol>
      <p role="status">${endOf(view)}</p>
      <div class="keys" role="group" aria-label=${msg('Letters')}>${keyRows.map(
        (row) => html`<div>${[...row].map((letter) => this.renderKey(letter, view.keyboard[letter]))}</div>`,
      )}${this.typed === null ? nothing : this.renderCommands()}</div>
      <p class="legend">${signs.here} ${labelOf.here()}, ${signs.elsewhere} ${labelOf.elsewhere()}, ${signs.absent} ${labelOf.absent()}.</p>
    `;
  }

  private renderTry(view: WordleView, k: number): TemplateResult {
    const guess = view.guesses[k];
    if (guess) return renderGuess(guess, k + 1);
    const next = k === view.guesses.length && view.state === 'playing';
    const typed = next ? (this.typed ?? '').replace(/[^a-z]/gi, '').slice(0, LETTERS) : '';
    const label = typed ? msg(str`Typed: ${[...typed].join(' ')}`) : msg(str`Try ${k + 1}, empty`);
    return html`<li><div class="guess" role="img" aria-label=${label}>${Array.from(
      { length: LETTERS },
      (_, i) => html`<span class="tile ${typed[i] ? 'typed' : ''}">${typed[i] ?? nothing}</span>`,
    )}</div></li>`;
  }

  private renderKey(letter: string, colour: Colour | undefined): TemplateResult {
    const label = `${letter}, ${colour ? labelOf[colour]() : msg('not guessed yet')}`;
    const inside = html`${letter}${colour ? html`<span class="sign" aria-hidden="true">${signs[colour]}</span>` : nothing}`;
    return this.typed === null
      ? html`<span class="key ${colour ?? ''}" role="img" aria-label=${label}>${inside}</span>`
      : html`<button type="button" class="key ${colour ?? ''}" aria-label=${label} tabindex="-1" @click=${() => this.press(letter)}>${inside}</button>`;
  }

  private renderCommands(): TemplateResult {
    return html`<div>
      <button type="button" tabindex="-1" @click=${() => this.press('Enter')}>${msg('Guess')}</button>
      <button type="button" tabindex="-1" aria-label=${msg('Delete the last letter')} @click=${() => this.press('Backspace')}>⌫</button>
    </div>`;
  }

  /** Dispatches a key press as if it came from the keyboard. */
  private press(key: string): void {
    this.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
  }
}

function renderGuess({ word, colours }: WordleView['guesses'][number], number: number): TemplateResult {
  const colors = word
    ? colours.map((colour, i) => `${word[i]} ${labelOf[colour]()}`).join(', ')
    : msg('not in the word list');
  return html`<li><div class="guess" role="img" aria-label=${msg(str`Guess ${number}: ${colors}`)}>${Array.from(
    { length: LETTERS },
    (_, i) =>
      html`<span class="tile ${colours[i] ?? 'absent'}">${word[i] ?? '?'}${
        colours[i] ? html`<span class="sign">${signs[colours[i]]}</span>` : nothing
      }</span>`,
  )}</div></li>`;
}

function endOf({ state, answer, guesses, tries }: WordleView): string {
  if (state === 'won') return `✓ ${msg(str`Found with guess ${guesses.length} of ${tries}`)}`;
  if (state === 'playing') return msg(str`${guesses.length} of ${tryCount(tries)} used`);
  return answer ? `✕ ${msg(str`The word was ${answer}`)}` : `✕ ${msg('No tries left')}`;
}
