/** Elements of a screen, as an app describes them: kind, text, state and effect. Layout gives them their boxes. */
import type { AppName, Catalogue, PhoneState } from './state.ts';

export type Kind =
  | 'heading'
  | 'text'
  | 'bubble'
  | 'row'
  | 'switch'
  | 'button'
  | 'field'
  | 'chip'
  | 'tile'
  | 'pin'
  | 'slider'
  | 'key';

/** What an app may do with the phone that it runs on (`phone.ts`). */
export interface Phone {
  readonly data: Catalogue;
  readonly state: PhoneState;
  readonly ui: { readonly focus: string | null };
  /** The place of the app: `name/argument`. */
  place(): string;
  /** Content of a field or a choice of the current place. */
  draft(key: string): string;
  write(key: string, value: string): void;
  clearDrafts(): void;
  /** Shows a short notice. */
  toast(text: string): void;
  show(overlay: Overlay): void;
  /** Closes the overlay, then applies the effect of a choice. */
  closeWith(effect: Effect): void;
  go(place: string): void;
  replace(place: string): void;
  focus(key: string): void;
  open(app: AppName): void;
  back(): void;
}

type Effect = (phone: Phone) => void;

export interface Item {
  kind: Kind;
  /** Name of the element within its screen, the same in every state. */
  key: string;
  text: string;
  /** A second text: the price of a product, the value of a field. */
  detail?: string;
  /** State in a word: on, off, chosen, liked. */
  state?: string;
  tap?: Effect;
  hold?: Effect;
  /** Effect of the enter key in a field. */
  enter?: Effect;
  /** Effect of a slider's value, from 0 to 100. */
  set?(phone: Phone, value: number): void;
  /** Cell of a pin on its map. */
  cell?: number;
}

export interface Screen {
  title: string;
  items: Item[];
  /** Elements that stay at the bottom of the screen. */
  bottom?: Item[];
  /** Effect of a swipe to the left (1) or to the right (-1), if the screen has one. */
  swipe?(phone: Phone, direction: 1 | -1): void;
}

/** A dialog or a sheet above the screen. */
export interface Overlay {
  kind: 'dialog' | 'sheet';
  key: string;
  title: string;
  text: string;
  choices: Item[];
  /** Key of the choice that closes it and changes nothing. */
  dismiss: string;
}

export interface App {
  title: string;
  view(phone: Phone, place: string, argument: string): Screen;
}

export const heading = (text: string): Item => ({ kind: 'heading', key: `heading ${text}`, text });
export const note = (key: string, text: string, detail?: string): Item => ({ kind: 'text', key, text, detail });
export const button = (key: string, text: string, tap: Effect): Item => ({ kind: 'button', key, text, tap });
export const row = (key: string, text: string, tap: Effect, more: Partial<Item> = {}): Item => ({
  kind: 'row',
  key,
  text,
  tap,
  ...more,
});
export const toggle = (key: string, text: string, on: boolean, tap: Effect): Item => ({
  kind: 'switch',
  key,
  text,
  state: on ? 'on' : 'off',
  tap,
});

/** A text field, whose draft the phone keeps until its screen is left. */
export const field = (phone: Phone, key: string, text: string, enter?: Effect): Item => ({
  kind: 'field',
  key,
  text,
  detail: phone.draft(key),
  state: phone.ui.focus === key ? 'focused' : undefined,
  tap: (p) => p.focus(key),
  enter,
});

/** A choice of one among several, kept as a draft of its screen. */
export const chips = (phone: Phone, key: string, values: readonly (string | number)[]): Item[] =>
  values.map((value) => ({
    kind: 'chip',
    key: `${key} ${value}`,
    text: String(value),
    state: phone.draft(key) === String(value) ? 'chosen' : undefined,
    tap: (p) => p.write(key, String(value)),
  }));

/** A sheet of choices for a thing that was pressed long. */
export function menu(key: string, title: string, choices: readonly [string, Effect][]): Overlay {
  const items = choices.map(([text, effect]) => button(text, text, (p) => p.closeWith(effect)));
  return { kind: 'sheet', key, title, text: '', choices: [...items, cancel], dismiss: 'Cancel' };
}

/** A question whose first choice has an effect and whose second has none. */
export function question(key: string, title: string, text: string, yes: string, no: string, effect: Effect): Overlay {
  const choices = [button(yes, yes, (p) => p.closeWith(effect)), button(no, no, (p) => p.closeWith(() => {}))];
  return { kind: 'dialog', key, title, text, choices, dismiss: no };
}

const cancel = button('Cancel', 'Cancel', (p) => p.closeWith(() => {}));
