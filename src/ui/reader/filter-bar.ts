/** Filter and order of the list: text, success, world, family of tasks, bounds of score and turns, step. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type Filter, noFilter, type RecordOrder } from '../../trajectories/files/record-filter.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { familyLabel, worldTitle } from '../state/labels.ts';
import { type ReaderController, ReaderUpdates } from './reader-controller.ts';

const pauseMs = 400;

/** Names of the filter's numbers. */
type Bound = 'leastScore' | 'mostScore' | 'leastTurns' | 'mostTurns' | 'step';

@customElement('tabgym-filter-bar')
export class TabgymFilterBar extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: 6px 10px;
        align-items: center;
        padding: 6px 10px;
        border-block-end: 1px solid var(--line);
        background: var(--surface);
      }
      label {
        display: inline-flex;
        gap: 4px;
        align-items: center;
        font-size: var(--size-s);
        color: var(--text-2);
      }
      label > * {
        color: var(--text);
      }
      input[type='search'] {
        flex: 0 1 190px;
      }
      input.bound {
        width: 54px;
      }
    `,
  ];

  @property({ attribute: false }) controller!: ReaderController;
  /** Content of the search field while it is edited; null: it shows the filter. */
  @state() private typed: string | null = null;
  private pause = 0;
  /** Changes since the last pause in typing. */
  private pending: Partial<Filter> = {};

  constructor() {
    super();
    new ReaderUpdates(this, () => this.controller);
  }

  private set(patch: Partial<Filter>) {
    const { filter, sorting } = this.controller.list;
    this.controller.arrange({ ...filter, ...patch }, sorting);
  }

  /** Searches after a pause in typing, because a search reads a large file again. */
  private type(text: string) {
    this.typed = text;
    this.soon({ text: text.trim() });
  }

  private soon(patch: Partial<Filter>) {
    clearTimeout(this.pause);
    this.pending = { ...this.pending, ...patch };
    this.pause = window.setTimeout(() => this.flush(), pauseMs);
  }

  /** Applies what was typed, without waiting for a pause. */
  private flush() {
    const { pending } = this;
    this.forget();
    if (Object.keys(pending).length) this.set(pending);
  }

  private forget() {
    clearTimeout(this.pause);
    this.pending = {};
  }

  /** A number that is being typed; one that ends with a decimal point goes on. */
  private number(event: Event, name: Bound) {
    const text = textOfField(event);
    if (!/[.,]0*$/.test(text)) this.soon({ [name]: numberIn(text) });
  }

  private finishTyping(text: string) {
    this.typed = null;
    const isNew = text.trim() !== this.controller.list.filter.text;
    this.pending = { ...this.pending, ...(isNew && { text: text.trim() }) };
    this.flush();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.forget();
  }

  private sort(patch: Partial<RecordOrder>) {
    const { filter, sorting } = this.controller.list;
    this.controller.arrange(filter, { ...sorting, ...patch });
  }

  override render() {
    const { filter, sorting } = this.controller.list;
    const { state } = this.controller;
    return html`
      <input type="search" placeholder=${msg('Search the messages')} aria-label=${msg('Search the messages')} title=${msg('Finds exactly this text in the messages. A * matches anything: using *, * crafted finds successful crafts from two ingredients.')} .value=${this.typed ?? filter.text}
        @input=${(event: Event) => this.type(textOfField(event))}
        @change=${(event: Event) => this.finishTyping(textOfField(event))} />
      ${this.typed || filter.text ? html`<span class="small soft">${msg('* matches anything: using *, * crafted')}</span>` : nothing}
      ${this.choice(msg('Success'), filter.success, { any: msg('any'), yes: msg('success'), no: msg('failure'), unknown: msg('unknown') }, (success) => this.set({ success: success as Filter['success'] }))}
      ${state && state.worlds.length + Number(state.nameless) > 1 ? this.renderWorlds(filter) : nothing}
      ${state && state.families.length > 1 ? this.renderFamilies(filter, state.families) : nothing}
      ${this.bounds(msg('Score'), 'leastScore', 'mostScore')}
      ${this.bounds(msg('Turns'), 'leastTurns', 'mostTurns')}
      ${state?.steps ? html`<label>${msg('Step')} <input aria-label=${msg('Step')} class="bound number" inputmode="numeric" .value=${String(filter.step ?? '')} @input=${(event: Event) => this.number(event, 'step')} /></label>` : nothing}
      ${this.choice(msg('Order'), sorting.by, this.orderNames(), (by) => this.sort({ by: by as RecordOrder['by'] }))}
      <button class="quiet" aria-pressed=${sorting.descending ? 'true' : 'false'} aria-label=${msg('Descending')} title=${msg('Descending')}
        @click=${() => this.sort({ descending: !sorting.descending })}>${sorting.descending ? '↓' : '↑'}</button>
      ${this.controller.list.filter.text || isFiltered(filter) ? html`<button class="link" @click=${this.showAll}>${msg('Show all')}</button>` : nothing}`;
  }

  private showAll = () => {
    this.forget();
    this.typed = null;
    this.controller.arrange(noFilter, this.controller.list.sorting);
  };

  private orderNames(): { [by: string]: string } {
    const steps: { [by: string]: string } = this.controller.state?.steps ? { step: msg('step') } : {};
    const worlds: { [by: string]: string } =
      (this.controller.state?.worlds.length ?? 0) > 1 ? { world: msg('world') } : {};
    return {
      place: msg('as in the file'),
      score: msg('score'),
      success: msg('success'),
      turns: msg('turns'),
      bytes: msg('length'),
      ...worlds,
      ...steps,
    };
  }

  private renderWorlds({ world }: Filter) {
    const { worlds, nameless } = this.controller.state!;
    const names = Object.fromEntries(worlds.map((name) => [`w${name}`, worldTitle(name)]));
    const words = { any: msg('any'), ...names, ...(nameless ? { w: msg('unknown') } : {}) };
    const chosen = world === null ? 'any' : `w${world}`;
    return this.choice(msg('World'), chosen, words, (value) =>
      this.set({ world: value === 'any' ? null : value.slice(1) }),
    );
  }

  private renderFamilies({ family }: Filter, families: readonly string[]) {
    const sorted = families.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const names = Object.fromEntries(sorted.map((each) => [`f${each}`, familyLabel(each)]));
    const chosen = family === null ? 'any' : `f${family}`;
    return this.choice(msg('Tasks'), chosen, { any: msg('any'), ...names }, (value) =>
      this.set({ family: value === 'any' ? null : value.slice(1) }),
    );
  }

  private choice(label: string, chosen: string, words: { [value: string]: string }, choose: (value: string) => void) {
    return html`<label>${label} <select aria-label=${label} @change=${(event: Event) => choose(textOfField(event))}>
      ${Object.entries(words).map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
    </select></label>`;
  }

  private bounds(label: string, least: Bound, most: Bound) {
    const { filter } = this.controller.list;
    const field = (name: Bound, end: string) =>
      html`<input class="bound number" inputmode="decimal" placeholder=${end} aria-label="${label}, ${end}" .value=${String(filter[name] ?? '')} @input=${(event: Event) => this.number(event, name)} />`;
    return html`<label>${label} ${field(least, msg('min'))} ${field(most, msg('max'))}</label>`;
  }
}

const textOfField = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value;

const numberIn = (text: string): number | null => {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) ? null : value;
};

const isFiltered = (filter: Filter): boolean =>
  (Object.keys(noFilter) as (keyof Filter)[]).some((key) => filter[key] !== noFilter[key]);
