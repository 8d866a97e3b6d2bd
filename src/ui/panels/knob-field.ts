/** Field of the setup for one knob: label, control, unit, explanation, and the problem of its value. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { Knob } from '../../experiment/knob.ts';
import { findKnob } from '../../experiment/knobs.ts';
import { colon } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { highlightStyle } from '../state/highlight.ts';
import { choiceGroup, choiceLabel, knobEmpty, knobLabel, knobSentence } from '../state/labels.ts';

/** Event `knob-change`, with the path and the new value. */
export class KnobChangeEvent extends Event {
  constructor(
    readonly path: string,
    readonly value: unknown,
  ) {
    super('knob-change', { bubbles: true, composed: true });
  }
}

const wholeNumbers = (min: number, max: number) => Array.from({ length: max - min + 1 }, (_, index) => min + index);

const numberOf = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;

/** Text of a field for a number, a text or a list; empty if there is no value. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));

/** True for a list of which any choices may be taken, false for one of any texts. */
const isSet = (knob: Knob): knob is Knob & { choices: NonNullable<Knob['choices']> } =>
  knob.kind === 'choices' && knob.choices !== undefined;

@customElement('tabgym-knob')
export class TabgymKnob extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      .field {
        display: grid;
        grid-template-columns: minmax(0, 1fr) 140px;
        gap: 2px 8px;
        align-items: center;
        padding: 3px 0;
      }
      .field.group {
        grid-template-columns: auto minmax(0, 1fr);
      }
      .name {
        display: flex;
        align-items: center;
        gap: 5px;
        min-width: 0;
      }
      label,
      .label {
        overflow-wrap: anywhere;
      }
      .changed label,
      .changed .label {
        font-weight: 650;
      }
      .changed .dot {
        width: 7px;
        height: 7px;
        flex: none;
        background: var(--accent);
        border-radius: 50%;
      }
      button.about {
        min-height: 24px;
        width: 24px;
        padding: 0;
        border-radius: 50%;
        flex: none;
        color: var(--text-2);
      }
      .control {
        display: flex;
        align-items: center;
        gap: 4px;
        justify-content: end;
        min-width: 0;
      }
      .control input:not([type='checkbox']),
      .control select {
        width: 100%;
      }
      input[type='checkbox'] {
        width: 18px;
        height: 18px;
        margin: 4px 0;
      }
      .wide {
        grid-column: 1 / -1;
      }
      .sentence {
        color: var(--text-2);
        font-size: var(--size-s);
        padding-inline-start: 2px;
      }
      .error {
        color: var(--bad);
        font-size: var(--size-s);
      }
      [aria-invalid='true'] {
        border-color: var(--bad) !important;
        border-width: 2px !important;
      }
      .set {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 8px;
        justify-content: end;
      }
      .control select {
        text-overflow: ellipsis;
      }
      .control.many {
        grid-column: 1 / -1;
        justify-content: start;
        /* A centred row that overflows hides its beginning out of reach of the scroll bar. */
        align-items: start;
        max-height: 168px;
        overflow: auto;
      }
      /* Aligned in columns, so that long lists are easy to scan. */
      .many .set {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(var(--choice, 118px), 1fr));
        width: 100%;
        align-items: start;
      }
      .set label {
        display: inline-flex;
        align-items: center;
        gap: 3px;
        font-weight: 400;
      }
    `,
  ];

  @property() path = '';
  /** Knob of the field, if the path alone does not identify it (options of worlds). */
  @property({ attribute: false }) of: Knob | null = null;
  @property({ attribute: false }) value: unknown;
  @property({ type: Boolean }) changed = false;
  @property({ attribute: false }) error = '';
  /** Consequence of changing the knob during a run; empty if there is none. */
  @property({ attribute: false }) cost = '';
  @property({ type: Boolean }) disabled = false;
  @state() private about = false;

  private get knob(): Knob {
    return this.of ?? findKnob(this.path)!;
  }

  /** Default of a world's option. Other fields get theirs when the document is read. */
  private get fallback(): unknown {
    return this.knob.worlds && this.knob.fallback;
  }

  /** Value, or the one that applies if none is set. */
  private get shown(): unknown {
    return this.value === undefined ? this.fallback : this.value;
  }

  private send(value: unknown) {
    this.dispatchEvent(new KnobChangeEvent(this.path, value));
  }

  override render() {
    const { knob } = this;
    const group = knob.kind === 'integers' || isSet(knob);
    // Choices with texts, and long lists, use the full width.
    const many = isSet(knob) || ((knob.choices?.length ?? knob.max ?? 0) > 8 && group);
    const label = knobLabel(knob);
    return html`<div class="field ${this.changed ? 'changed' : ''} ${group ? 'group' : ''}" .style=${highlightStyle(`knob.${this.path}`)}>
      <div class="name">
        ${this.changed ? html`<span class="dot" title=${msg('Differs from the preset')}></span>` : nothing}
        ${group ? html`<span class="label" id="label">${label}</span>` : html`<label for="control">${label}</label>`}
        <button class="quiet about" aria-expanded=${this.about ? 'true' : 'false'} aria-label=${`${msg('About')}${colon()}${label}`} @click=${this.toggleAbout}>?</button>
      </div>
      <div class="control ${many ? 'many' : ''}">${this.renderControl(knob)}</div>
      ${this.error ? html`<div class="wide error" id="error"><span aria-hidden="true">✕ </span>${this.error}</div>` : nothing}
      ${
        this.about
          ? html`<div class="wide sentence">${knobSentence(knob)} ${this.bounds(knob)} ${this.cost ? html`<em>${this.cost}</em>` : nothing}</div>`
          : nothing
      }
    </div>`;
  }

  private toggleAbout() {
    this.about = !this.about;
  }

  private bounds(knob: Knob) {
    if (knob.min === undefined || knob.kind === 'integers') return nothing;
    return html`<span class="mono">${knob.min} … ${knob.max}${knob.unit ? ` ${knob.unit}` : ''}</span>${
      knob.nullMeans ? html`, ${msg('empty')}${colon()}${knobEmpty(knob)}` : nothing
    }`;
  }

  private renderControl(knob: Knob) {
    if (knob.kind === 'boolean') return this.renderCheckbox();
    if (knob.kind === 'choice') return this.renderChoice(knob);
    if (knob.kind === 'turns') return this.renderTurns(knob);
    if (knob.kind === 'integers') return this.renderSet(knob, wholeNumbers(knob.min!, knob.max!));
    if (isSet(knob)) return this.renderSet(knob, knob.choices);
    if (knob.kind === 'choices') return this.renderList();
    return this.renderInput(knob);
  }

  private renderCheckbox() {
    return html`<input id="control" type="checkbox" ?disabled=${this.disabled} .checked=${live(this.shown === true)}
      @change=${(event: Event) => this.send((event.target as HTMLInputElement).checked)} />`;
  }

  private renderChoice(knob: Knob) {
    return html`<select id="control" ?disabled=${this.disabled} aria-invalid=${this.invalid} @change=${(event: Event) => this.send((event.target as HTMLSelectElement).value)}>
      ${this.renderChoices(knob, '')}
      ${[...new Set(knob.choices!.map((choice) => choiceGroup(knob, choice)))]
        .filter((group) => group)
        .map((group) => html`<optgroup label=${group}>${this.renderChoices(knob, group)}</optgroup>`)}
    </select>`;
  }

  private renderChoices(knob: Knob, group: string) {
    return knob
      .choices!.filter((choice) => choiceGroup(knob, choice) === group)
      .map(
        (choice) =>
          html`<option value=${choice} ?selected=${choice === this.shown}>${choiceLabel(knob, choice)}</option>`,
      );
  }

  private renderInput(knob: Knob) {
    const text = knob.kind === 'text';
    // An empty option of a world is omitted, so that the world's default applies.
    const empty = knob.nullMeans ? null : knob.path.includes('.options.') ? undefined : '';
    const read = (typed: string) => (text ? typed : typed.trim() === '' ? empty : numberOf(typed));
    return html`<input id="control" class=${text ? '' : 'number'} inputmode=${text ? 'text' : 'decimal'} ?disabled=${this.disabled}
      placeholder=${knobEmpty(knob) ?? String(this.fallback ?? '')} aria-invalid=${this.invalid} aria-describedby=${this.error ? 'error' : nothing}
      .value=${textOf(this.value)} @change=${this.onTyped(read)} @keydown=${(event: KeyboardEvent) => this.spin(event, knob)} />`;
  }

  /** Any texts, separated by commas. Without one the list is omitted, so that the world's default applies. */
  private renderList() {
    const read = (typed: string) => {
      const texts = [...new Set(typed.split(',').map((each) => each.trim()))].filter((each) => each !== '');
      return texts.length ? texts : undefined;
    };
    return html`<input id="control" ?disabled=${this.disabled} placeholder=${msg('separated by commas')} aria-invalid=${this.invalid}
      aria-describedby=${this.error ? 'error' : nothing} .value=${textOf(this.value)} @change=${this.onTyped(read)} />`;
  }

  /**
   * Listener for `change` of a text field. The field then shows the value that was read; its own value is bound without
   * `live`, which would set back a text that is still typed whenever the panel is drawn.
   */
  private onTyped = (read: (typed: string) => unknown, take = (value: unknown) => this.send(value)) => {
    return (event: Event) => {
      const field = event.target as HTMLInputElement;
      const value = read(field.value);
      field.value = textOf(value);
      take(value);
    };
  };

  /** Arrow keys change a number by the knob's step. */
  private spin(event: KeyboardEvent, knob: Knob) {
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    const field = event.target as HTMLInputElement;
    const from = field.value.trim() === '' ? this.shown : numberOf(field.value);
    if (!direction || knob.kind === 'text' || typeof from !== 'number') return;
    event.preventDefault();
    const next = Number((from + direction * (knob.step ?? 1)).toPrecision(10));
    const value = Math.min(knob.max ?? Infinity, Math.max(knob.min ?? -Infinity, next));
    field.value = textOf(value);
    this.send(value);
  }

  private get invalid() {
    return this.error ? 'true' : 'false';
  }

  /** Field for a number of turns, either fixed or relative to the oracle's. */
  private renderTurns(knob: Knob) {
    const plus =
      typeof this.value === 'object' && this.value !== null
        ? (this.value as { oraclePlus: unknown }).oraclePlus
        : undefined;
    const relative = plus !== undefined;
    const number = relative ? plus : this.value;
    const send = (kind: string, amount: unknown) => this.send(kind === 'oracle' ? { oraclePlus: amount ?? 0 } : amount);
    const read = (typed: string) => (knob.nullMeans && typed.trim() === '' ? null : numberOf(typed));
    const take = (typed: unknown) => (typed === null ? this.send(null) : send(relative ? 'oracle' : 'fixed', typed));
    return html`<select aria-label=${msg('Kind of limit')} ?disabled=${this.disabled} @change=${(event: Event) => send((event.target as HTMLSelectElement).value, number)}>
        <option value="oracle" ?selected=${relative}>${msg('oracle +')}</option>
        <option value="fixed" ?selected=${!relative}>${msg('fixed')}</option>
      </select>
      <input id="control" class="number" inputmode="numeric" .style=${'flex:0 0 44px'} aria-invalid=${this.invalid} aria-describedby=${this.error ? 'error' : nothing}
        ?disabled=${this.disabled} .value=${textOf(number)} title=${knob.unit} @change=${this.onTyped(read, take)} />${
          number === undefined || number === null
            ? html`<span class="soft small">${knobEmpty(knob) ?? ''}</span>`
            : nothing
        }`;
  }

  private renderSet<T extends number | string>(knob: Knob, all: readonly T[]) {
    const chosen = new Set(Array.isArray(this.shown) ? (this.shown as T[]) : []);
    const toggle = (each: T) => {
      const next = all.filter((other) => (other === each ? !chosen.has(each) : chosen.has(other)));
      // An option with no choice is omitted, so that the world's default applies.
      this.send(next.length || knob.kind === 'integers' ? next : undefined);
    };
    const longest = all.reduce((most, each) => Math.max(most, choiceLabel(knob, each).length), 0);
    const width = `--choice:${Math.min(240, 34 + 7 * longest)}px`;
    return html`<div class="set" .style=${width} role="group" aria-labelledby="label">${all.map(
      (each) =>
        html`<label><input type="checkbox" ?disabled=${this.disabled} .checked=${live(chosen.has(each))} @change=${() => toggle(each)} />${choiceLabel(knob, each)}</label>`,
    )}</div>`;
  }
}
