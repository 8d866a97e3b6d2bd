/**
 * A phone: its state, the screen that it shows and the effect of each action. An app describes a screen from the state
 * (`screen.ts`); this file keeps the way back, drafts, the keyboard, overlays and loading, and finds what a finger meets.
 */
import { type Action, ActionError, type Direction } from './actions.ts';
import { calendar } from './apps/calendar.ts';
import { map } from './apps/map.ts';
import { messages } from './apps/messages.ts';
import { music } from './apps/music.ts';
import { notes } from './apps/notes.ts';
import { settings } from './apps/settings.ts';
import { shop } from './apps/shop.ts';
import { tickets } from './apps/tickets.ts';
import { elementAt, type Layout, layOut, lineOf, type Placed, width } from './layout.ts';
import type { App, Item, Overlay, Phone as PhoneOfApps, Screen } from './screen.ts';
import { type AppName, appNames, type Catalogue, type PhoneState } from './state.ts';

const apps: { readonly [name in AppName]: App } = {
  ...{ messages, calendar, notes, settings, shop, map, music, tickets },
};

interface PhoneUi {
  /** The open app; null on the home screen. */
  app: AppName | null;
  /** Places of the app, the current one last; each is `name/argument`. */
  stack: string[];
  scroll: number;
  /** Field that has the keyboard. */
  focus: string | null;
  /** Contents of fields and choices of the current place. */
  drafts: { readonly [key: string]: string };
  overlay: Overlay | null;
  loading: boolean;
  toast: string;
  /** Offers that cover an app when it opens next. */
  offers: { readonly [app: string]: Overlay };
}

/** Longest text of a field. */
const mostTyped = 200;

export class Phone implements PhoneOfApps {
  ui: PhoneUi = {
    ...{ app: null, stack: [''], scroll: 0, focus: null, drafts: {}, overlay: null, loading: false, toast: '' },
    offers: {},
  };

  private laid: Layout | null = null;

  constructor(
    readonly data: Catalogue,
    readonly state: PhoneState,
  ) {}

  /** A phone in the same state, which changes on its own. */
  copy(): Phone {
    const copy = new Phone(this.data, structuredClone(this.state));
    copy.ui = { ...this.ui, stack: [...this.ui.stack] };
    return copy;
  }

  /** Name of the current place: `home`, or the app with the place in it. */
  id(): string {
    return this.ui.app ? `${this.ui.app}:${this.place()}` : 'home';
  }

  place(): string {
    return this.ui.stack.at(-1)!;
  }

  draft(key: string): string {
    return this.ui.drafts[key] ?? '';
  }

  write(key: string, value: string): void {
    this.ui.drafts = { ...this.ui.drafts, [key]: value.slice(0, mostTyped) };
  }

  clearDrafts(): void {
    this.ui.drafts = {};
    this.ui.focus = null;
  }

  toast(text: string): void {
    this.ui.toast = text;
  }

  show(overlay: Overlay): void {
    this.ui.overlay = overlay;
    this.ui.focus = null;
  }

  closeWith(effect: (phone: PhoneOfApps) => void): void {
    this.ui.overlay = null;
    effect(this);
  }

  go(place: string): void {
    this.arrive([...this.ui.stack, place]);
  }

  replace(place: string): void {
    this.arrive([...this.ui.stack.slice(0, -1), place]);
  }

  private arrive(stack: string[]): void {
    this.ui = { ...this.ui, stack, scroll: 0, drafts: {}, focus: null };
  }

  focus(key: string): void {
    this.ui.focus = key;
    // The keyboard takes room: the field's line moves to the top if it would not be shown.
    this.laid = null;
    const layout = this.layout();
    if (layout.placed.some(({ item }) => item.key === key)) return;
    const line = lineOf(this.screen().items, key, this.state.switches['Large font']);
    if (line >= 0) this.ui.scroll = line;
  }

  open(app: AppName): void {
    const { [app]: offer, ...offers } = this.ui.offers;
    this.ui = { ...this.ui, app, offers, overlay: offer ?? null, loading: this.data.slow.includes(app) };
    this.arrive(['']);
  }

  home(): void {
    this.ui = { ...this.ui, app: null, overlay: null, loading: false };
    this.arrive(['']);
  }

  /** One step back: the keyboard, an overlay, a place, the app. */
  back(): void {
    const { overlay, focus, stack } = this.ui;
    if (focus !== null) this.ui.focus = null;
    else if (overlay) this.ui.overlay = null;
    else if (stack.length > 1 && !this.ui.loading) this.arrive(stack.slice(0, -1));
    else this.home();
  }

  screen(): Screen {
    const { app, loading } = this.ui;
    if (app === null)
      return {
        title: 'Home',
        items: appNames.map((name) => ({
          kind: 'tile',
          key: `app ${name}`,
          text: apps[name].title,
          tap: (p) => p.open(name),
        })),
      };
    if (loading) return { title: apps[app].title, items: [{ kind: 'text', key: 'loading', text: 'Loading' }] };
    const place = this.place();
    const cut = place.indexOf('/');
    return cut < 0 ? apps[app].view(this, place, '') : apps[app].view(this, place.slice(0, cut), place.slice(cut + 1));
  }

  layout(): Layout {
    this.laid ??= layOut({
      screen: this.screen(),
      overlay: this.ui.overlay,
      scroll: this.ui.scroll,
      keyboard: this.ui.focus !== null,
      largeFont: this.state.switches['Large font'],
      back: this.ui.app !== null,
    });
    return this.laid;
  }

  /** Carries out an action. Throws ActionError if the phone cannot do it; nothing has then changed. */
  act(action: Action): void {
    const { toast } = this.ui;
    this.ui.toast = '';
    try {
      this.carryOut(action);
    } catch (error) {
      this.ui.toast = toast;
      throw error;
    } finally {
      this.laid = null;
    }
  }

  private carryOut(action: Action) {
    switch (action.name) {
      case 'tap':
        return this.tap(action.x, action.y);
      case 'long_press':
        return this.hold(action.x, action.y);
      case 'text':
        return this.type(action.x, action.y, action.text);
      case 'scroll':
        return this.scroll(action.x, action.y, action.direction);
      case 'drag':
        return this.drag(action);
      case 'call_api':
        return this.callApi(action.app, action.operation);
      case 'navigate_back':
        if (this.ui.app === null && !this.ui.overlay)
          throw new ActionError('nowhere-back', 'The home screen has no way back.');
        return this.back();
      case 'navigate_home':
        if (this.ui.app === null && !this.ui.overlay) throw new ActionError('already-home', 'This is the home screen.');
        return this.home();
      case 'enter':
        return this.enter();
      case 'wait':
        this.ui.loading = false;
        return;
      case 'screen_shot':
      case 'long_screen_shot':
        this.state.device.pictures[`${action.name === 'screen_shot' ? 'screen' : 'long'} ${this.id()}`] = true;
        return this.toast('Screenshot saved');
      default:
        throw new ActionError('ends-episode', `${action.name} ends the episode and does nothing on the phone.`);
    }
  }

  private elementAt(x: number, y: number): Placed {
    const { placed } = this.layout();
    const found = elementAt(placed, x, y);
    if (found) return found;
    if (this.ui.loading) throw new ActionError('loading', 'The app is loading. Wait.');
    if (this.ui.overlay)
      throw new ActionError('covered', `"${this.ui.overlay.title}" covers the screen. Answer it first.`);
    throw new ActionError('nothing-there', `There is nothing at (${x},${y}).`);
  }

  private tap(x: number, y: number) {
    const key = elementAt(this.layout().chrome, x, y);
    if (key) return this.press(key.item);
    if (this.ui.overlay?.kind === 'sheet' && !elementAt(this.layout().placed, x, y)) return this.back();
    const { item } = this.elementAt(x, y);
    if (!item.tap) throw new ActionError('not-tappable', `A tap on "${item.text}" does nothing.`);
    item.tap(this);
  }

  /** A key of the keyboard or of the navigation bar. */
  private press({ text, key }: Item): void {
    const field = this.ui.focus ?? '';
    if (key === 'nav Back') this.carryOut({ name: 'navigate_back' });
    else if (key === 'nav Home') this.carryOut({ name: 'navigate_home' });
    else if (text === 'hide') this.ui.focus = null;
    else if (text === 'enter') this.enter();
    else if (text === 'delete') this.write(field, this.draft(field).slice(0, -1));
    else this.write(field, this.draft(field) + (text === 'space' ? ' ' : text));
  }

  private hold(x: number, y: number) {
    const { item } = this.elementAt(x, y);
    if (!item.hold) throw new ActionError('not-held', `A long press on "${item.text}" does nothing.`);
    item.hold(this);
  }

  private type(x: number, y: number, text: string) {
    const { item } = this.elementAt(x, y);
    if (item.kind !== 'field') throw new ActionError('not-a-field', `"${item.text}" takes no text.`);
    this.focus(item.key);
    this.write(item.key, text.replace(/[^ -~]/g, '?'));
  }

  private enter(): void {
    const { focus } = this.ui;
    if (focus === null) throw new ActionError('no-field', 'No field has the keyboard. Tap a field first.');
    const { items, bottom = [] } = this.screen();
    const field = [...items, ...bottom].find(({ key }) => key === focus);
    this.ui.focus = null;
    field?.enter?.(this);
  }

  private scroll(x: number, y: number, direction: Direction) {
    if (this.ui.overlay)
      throw new ActionError('covered', `"${this.ui.overlay.title}" covers the screen. Answer it first.`);
    if (this.ui.loading) throw new ActionError('loading', 'The app is loading. Wait.');
    const { scroll, lastScroll, lines } = this.layout();
    if (direction === 'left' || direction === 'right') {
      const { swipe } = this.screen();
      if (!swipe) throw new ActionError('nothing-to-scroll', 'This screen does not move sideways.');
      return swipe(this, direction === 'left' ? 1 : -1);
    }
    // The finger moves up, and the content with it.
    const by = Math.max(1, lines - 1) * (direction === 'up' ? 1 : -1);
    const next = Math.max(0, Math.min(lastScroll, scroll + by));
    if (next === scroll)
      throw new ActionError(
        'nothing-to-scroll',
        `There is nothing more ${direction === 'up' ? 'below' : 'above'} (${x},${y}).`,
      );
    this.ui.scroll = next;
  }

  private drag({ x1, y1, x2 }: { x1: number; y1: number; x2: number }) {
    const found = this.elementAt(x1, y1);
    if (!found.item.set) throw new ActionError('nothing-to-drag', `"${found.item.text}" cannot be dragged.`);
    found.item.set(this, sliderValue(found, x2));
  }

  private callApi(app: string, operation: string) {
    const found = appNames.find((name) => name === app.toLowerCase());
    if (!found)
      throw new ActionError(
        'unknown-app',
        `There is no app "${app.slice(0, 40)}". The apps are ${appNames.join(', ')}.`,
      );
    if (operation === 'open') return this.open(found);
    if (operation !== 'kill')
      throw new ActionError('bad-arguments', `"${operation.slice(0, 40)}" is not an operation. Use open or kill.`);
    if (this.ui.app === found) this.home();
  }
}

/** Track of a slider within its element, in points from its sides. */
const track = 20;

/** Value of a slider at a horizontal position in thousandths, in tens. */
function sliderValue({ x, w }: Placed, at: number): number {
  const share = ((at * width) / 1000 - x - track) / (w - 2 * track);
  return 10 * Math.max(0, Math.min(10, Math.round(10 * share)));
}

/** Horizontal position, in thousandths, at which a slider has a value. */
export const sliderPosition = ({ x, w }: Placed, value: number): number =>
  Math.round((1000 * (x + track + ((w - 2 * track) * value) / 100)) / width);
