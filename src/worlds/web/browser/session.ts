/**
 * A browser for the simulated internet: tabs with their histories, focus, content of fields and scroll position. It
 * executes actions like Chromium with WebArena's driver, as far as the sites' pages require. Apart from the parsed page
 * its state is plain data, so that it can be copied, and the same actions yield the same bytes in a frame and on Node.
 * It uses no clock and no timers.
 */
import type { Action } from '../../../webarena/actions.ts';
import { type PrintedNode, type TreeText, treeText } from '../../../webarena/tree-text.ts';
import { type Net, type NetState, resolve } from '../sites/net.ts';
import {
  type Controls,
  controlsAndLinks,
  controlsOf,
  fieldValue,
  initialValue,
  isTicked,
  lineHeight,
  type PageTree,
  pageTree,
} from './accessibility.ts';
import { parseCombination } from './keys.ts';
import { untouchedTree } from './page-memory.ts';

/** Parses the HTML of a page's body. Provided by the environment in which the browser runs. */
export type ParsePage = (html: string) => Document;

interface Entry {
  url: string;
  title: string;
  html: string;
  controls: Controls;
  /** Index of the focused element in `controlsAndLinks`. */
  focused: number | null;
  /** True if the whole text of the focused field is selected, so that the next key replaces it. */
  selected: boolean;
  /** Number of lines above the visible part. */
  scroll: number;
}

interface Tab {
  readonly history: readonly Entry[];
  readonly at: number;
}

/** Complete state of a browser. */
export interface BrowserState {
  readonly tabs: readonly Tab[];
  readonly current: number;
  readonly net: NetState;
  /** All requests to the sites, by which the oracle determines its progress. */
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  method: 'GET' | 'POST';
  url: string;
  form: { [name: string]: string };
}

/** An action that cannot be executed; the page is unchanged. */
export class BrowserError extends Error {
  override name = 'BrowserError';
}

const blank: Entry = {
  url: 'about:blank',
  title: '',
  html: '',
  controls: {},
  focused: null,
  selected: false,
  scroll: 0,
};
const maxTabs = 10;
const maxHistory = 60;
const maxField = 4000;

export interface BrowserOptions {
  net: Net;
  parse: ParsePage;
  /** Lines of the screen; 0 shows the whole page. */
  screenLines: number;
}

export class Browser {
  private document: { html: string; parsed: Document } | null = null;
  private tree: { entry: Entry; tree: PageTree } | null = null;
  private seen: { tabs: readonly Tab[]; current: number; text: TreeText } | null = null;

  constructor(
    readonly options: BrowserOptions,
    public state: BrowserState,
  ) {}

  /** Opens each address in a tab of its own and selects the first. */
  static open(options: BrowserOptions, urls: readonly string[], net: NetState = {}): Browser {
    const browser = new Browser(options, { tabs: [], current: 0, net, requests: [] });
    for (const [k, url] of urls.entries()) {
      browser.addTab();
      browser.state = { ...browser.state, current: k };
      browser.visit({ method: 'GET', url, form: {} }, false);
    }
    browser.state = { ...browser.state, current: 0, requests: [] };
    return browser;
  }

  /** An independent copy of the browser. */
  fork(): Browser {
    const copy = new Browser(this.options, this.state);
    copy.document = this.document;
    copy.tree = this.tree;
    copy.seen = this.seen;
    return copy;
  }

  get entry(): Entry {
    const { tabs, current } = this.state;
    return tabs[current].history[tabs[current].at];
  }

  get url(): string {
    return this.entry.url;
  }

  /** Document of the current page as it was sent. The content of its fields is stored in the entry. */
  page(): Document {
    const { html } = this.entry;
    if (this.document?.html !== html) this.document = { html, parsed: this.options.parse(html) };
    return this.document.parsed;
  }

  pageTree(): PageTree {
    const { entry } = this;
    if (this.tree?.entry !== entry) this.tree = { entry, tree: this.makeTree(entry) };
    return this.tree.tree;
  }

  private makeTree({ title, controls, focused }: Entry): PageTree {
    const untouched = focused === null && Object.keys(controls).length === 0;
    return untouched ? untouchedTree(this.page(), title) : pageTree(this.page(), title, controls, focused);
  }

  /** The agent's observation: the tabs, and the tree of the visible part. */
  observe(): TreeText {
    const { tabs, current } = this.state;
    if (this.seen?.tabs !== tabs || this.seen.current !== current) this.seen = { tabs, current, text: this.read() };
    return this.seen.text;
  }

  private read(): TreeText {
    const { screenLines } = this.options;
    const tree = this.pageTree();
    const top = this.entry.scroll * lineHeight;
    const titles = this.state.tabs.map(({ history, at }) => history[at].title);
    const screen = {
      screenWidth: 1280,
      screenHeight: (screenLines || tree.lines + 1) * lineHeight,
      devicePixelRatio: 1,
      layoutWidth: 1280,
    };
    const shifted = (id: string) => {
      const box = tree.boxes.get(id);
      if (!box) return null;
      return id === tree.nodes[0].nodeId ? box : ([box[0], box[1] - top, box[2], box[3]] as const);
    };
    return treeText(tree.nodes, ({ nodeId }) => shifted(nodeId), { titles, current: this.state.current }, screen, true);
  }

  /** Executes an action; throws BrowserError if it cannot. `stop` and `none` do nothing. */
  act(action: Action, printed: ReadonlyMap<string, PrintedNode>): void {
    const run = actions[action.kind] as (
      browser: Browser,
      action: Action,
      printed: ReadonlyMap<string, PrintedNode>,
    ) => void;
    run(this, action, printed);
  }

  addTab(): void {
    const { tabs } = this.state;
    if (tabs.length >= maxTabs) throw new BrowserError(`There are ${maxTabs} tabs already: close one.`);
    this.state = { ...this.state, tabs: [...tabs, { history: [blank], at: 0 }], current: tabs.length };
  }

  closeTab(): void {
    const tabs = this.state.tabs.filter((_, k) => k !== this.state.current);
    this.state = {
      ...this.state,
      tabs: tabs.length ? tabs : [{ history: [blank], at: 0 }],
      current: Math.max(0, tabs.length - 1),
    };
  }

  focusTab(page: string): void {
    const { tabs } = this.state;
    const number = Number(page);
    if (number >= tabs.length) throw new BrowserError('list index out of range');
    this.state = { ...this.state, current: number };
  }

  /** Moves back or forward in the tab's history and requests the page again. Does nothing beyond the ends. */
  travel(by: number): void {
    const { tabs, current } = this.state;
    const tab = tabs[current];
    const at = tab.at + by;
    if (at < 0 || at >= tab.history.length) return;
    const { url, scroll } = tab.history[at];
    const answer = this.options.net.ask(this.state.net, { method: 'GET', url, form: {} });
    const entry = answer ? { ...blank, url: answer.url, title: answer.title, html: answer.html, scroll } : blank;
    const history = tab.history.map((one, k) => (k === at ? entry : one));
    this.putTab({ history, at }, answer?.state);
  }

  private putTab(tab: Tab, net: NetState = this.state.net): void {
    const tabs = this.state.tabs.map((one, k) => (k === this.state.current ? tab : one));
    this.state = { ...this.state, tabs, net };
  }

  private putEntry(change: Partial<Entry>): void {
    const { tabs, current } = this.state;
    const { history, at } = tabs[current];
    this.putTab({ history: history.map((one, k) => (k === at ? { ...one, ...change } : one)), at });
  }

  /** Sends a request to the sites and shows the answer in the current tab. */
  visit(request: SentRequest, recorded = true): void {
    const answer = this.options.net.ask(this.state.net, request);
    if (!answer) throw new BrowserError(`net::ERR_NAME_NOT_RESOLVED at ${request.url}`);
    const { history, at } = this.state.tabs[this.state.current];
    const kept = history[at] === blank ? [] : history.slice(Math.max(0, at + 2 - maxHistory), at + 1);
    const entry = { ...blank, url: answer.url, title: answer.title, html: answer.html };
    this.putTab({ history: [...kept, entry], at: kept.length }, answer.state);
    if (recorded) this.state = { ...this.state, requests: [...this.state.requests, request] };
  }

  scroll(by: number): void {
    const screen = this.options.screenLines;
    const most = screen ? Math.max(0, this.pageTree().lines - screen) : 0;
    this.putEntry({ scroll: Math.min(most, Math.max(0, this.entry.scroll + by * screen)) });
  }

  /** Element of a printed id. */
  elementOf(id: string, printed: ReadonlyMap<string, PrintedNode>): Element | null {
    if (!printed.has(id)) throw new BrowserError(`'${id}'`);
    return this.pageTree().elements.get(id) ?? null;
  }

  /** Clicks the nearest clickable element at or around this element. If there is none, the page loses its focus. */
  click(element: Element | null): void {
    const target = element?.closest('a[href],button,input,textarea,label') ?? null;
    const control = target?.localName === 'label' ? labelled(target, this.page()) : target;
    if (!control || control.hasAttribute('disabled')) {
      this.putEntry({ focused: null, selected: false });
      return;
    }
    this.focus(control);
    this.activate(control);
  }

  private focus(element: Element): void {
    const index = controlsAndLinks(this.page()).indexOf(element);
    this.putEntry({ focused: index < 0 ? null : index, selected: false });
  }

  focusedElement(): Element | null {
    const { focused } = this.entry;
    return focused === null ? null : (controlsAndLinks(this.page())[focused] ?? null);
  }

  /** Effect of a click or the Enter key on a link, a button, a checkbox or a radio button. */
  activate(element: Element): void {
    const type = element.getAttribute('type');
    if (element.localName === 'a')
      this.visit({ method: 'GET', url: resolve(element.getAttribute('href')!, this.url), form: {} });
    else if (element.localName === 'button') this.submit(element);
    else if (type === 'checkbox') this.tick(element, !isTicked(element, this.control(element)));
    else if (type === 'radio') this.tick(element, true);
  }

  private indexOfControl = (element: Element) => controlsOf(this.page()).indexOf(element);
  control(element: Element) {
    return this.entry.controls[this.indexOfControl(element)];
  }

  private tick(element: Element, checked: boolean): void {
    const controls: { [index: number]: Controls[number] } = { ...this.entry.controls };
    if (element.getAttribute('type') === 'radio')
      for (const [k, other] of controlsOf(this.page()).entries())
        if (
          other.getAttribute('type') === 'radio' &&
          other.getAttribute('name') === element.getAttribute('name') &&
          sameForm(other, element)
        )
          controls[k] = { checked: false };
    controls[this.indexOfControl(element)] = { checked };
    this.putEntry({ controls });
  }

  setValue(element: Element, value: string): void {
    this.putEntry({
      controls: { ...this.entry.controls, [this.indexOfControl(element)]: { value: value.slice(0, maxField) } },
      selected: false,
    });
  }

  /** Types a text key by key into the focused element. */
  type(text: string): void {
    for (const character of text) this.key(character === '\n' ? 'Enter' : character, false);
  }

  key(name: string, control: boolean): void {
    const element = this.focusedElement();
    if (control) {
      if (name.toLowerCase() === 'a' && element && isEditable(element)) this.putEntry({ selected: true });
      return;
    }
    if (Object.hasOwn(scrollKeys, name) && !(element && isEditable(element))) this.scroll(scrollKeys[name]);
    else if (name === 'Tab') this.moveFocus(1);
    else if (name === 'Shift+Tab') this.moveFocus(-1);
    else if (element) this.keyOn(element, name);
  }

  private moveFocus(by: number): void {
    const count = controlsAndLinks(this.page()).length;
    if (!count) return;
    const { focused } = this.entry;
    const from = focused === null ? (by > 0 ? -1 : count) : focused;
    this.putEntry({ focused: (from + by + count) % count, selected: false });
  }

  private keyOn(element: Element, name: string): void {
    if (isEditable(element)) this.edit(element, name);
    else if (name === 'Enter' && element.localName === 'input') this.submitImplicitly(element);
    else if (name === 'Enter' || (name === ' ' && element.localName !== 'a')) this.activate(element);
  }

  private edit(element: Element, name: string): void {
    const value = this.entry.selected ? '' : fieldValue(element, this.control(element));
    const isArea = element.localName === 'textarea';
    if (name === 'Enter' && !isArea) this.submitImplicitly(element);
    else if (name === 'Enter') this.setValue(element, `${value}\n`);
    else if (name === 'Backspace')
      this.setValue(element, [...value].slice(0, this.entry.selected ? undefined : -1).join(''));
    // The caret is at the end, where Delete removes only a selection.
    else if (name === 'Delete' && this.entry.selected) this.setValue(element, '');
    else if ([...name].length === 1) this.setValue(element, value + name);
    else this.putEntry({ selected: false });
  }

  /** Enter in a field presses the form's first button, or submits the form if it has none. */
  private submitImplicitly(element: Element): void {
    const form = element.closest('form');
    if (!form) return;
    const button = form.querySelector('button');
    if (button?.hasAttribute('disabled')) return;
    this.submit(button ?? form);
  }

  private submit(from: Element): void {
    const form = from.closest('form');
    if (!form) return;
    const fields = [...form.querySelectorAll('input,textarea')];
    const missing = fields.find(
      (field) => field.hasAttribute('required') && fieldValue(field, this.control(field)) === '',
    );
    if (missing) this.focus(missing);
    else this.send(form, fields);
  }

  private send(form: Element, fields: readonly Element[]): void {
    const sent: { [name: string]: string } = Object.create(null);
    for (const field of fields) {
      const name = field.getAttribute('name');
      const type = field.getAttribute('type');
      if (!name || ((type === 'checkbox' || type === 'radio') && !isTicked(field, this.control(field)))) continue;
      sent[name] =
        type === 'checkbox' || type === 'radio' ? initialValue(field) : fieldValue(field, this.control(field));
    }
    const url = resolve(form.getAttribute('action') ?? this.url, this.url);
    if (form.getAttribute('method') === 'post') this.visit({ method: 'POST', url, form: sent });
    else this.visit({ method: 'GET', url: `${url.replace(/[?#].*$/s, '')}?${queryOf(sent)}`, form: {} });
  }
}

const queryOf = (fields: { [name: string]: string }) =>
  Object.entries(fields)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

const wellFormed = (text: string) =>
  text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

/** Encodes a query part. A lone surrogate has no encoding and is replaced by U+FFFD. */
const encode = (text: string) => encodeURIComponent(wellFormed(text)).replaceAll('%20', '+');

const sameForm = (a: Element, b: Element) => a.closest('form') === b.closest('form');
const isEditable = (element: Element) =>
  element.localName === 'textarea' ||
  (element.localName === 'input' && ['text', 'password', null].includes(element.getAttribute('type')));

function labelled(label: Element, document: Document): Element | null {
  const id = label.getAttribute('for');
  if (id === null) return label.querySelector('input,textarea,button');
  return [...document.querySelectorAll('input,textarea')].find((element) => element.id === id) ?? null;
}

const scrollKeys: { [key: string]: number } = { PageDown: 1, PageUp: -1, End: 1000, Home: -1000 };

type Run<K extends Action['kind']> = (
  browser: Browser,
  action: Extract<Action, { kind: K }>,
  printed: ReadonlyMap<string, PrintedNode>,
) => void;

const actions: { [K in Action['kind']]: Run<K> } = {
  none: () => {},
  stop: () => {},
  click: (browser, { element }, printed) => browser.click(browser.elementOf(element, printed)),
  // Hovering has no effect on these pages.
  hover: (browser, { element }, printed) => {
    browser.elementOf(element, printed);
  },
  type: (browser, { element, text }, printed) => {
    browser.click(browser.elementOf(element, printed));
    browser.type(text);
  },
  press: (browser, { keys }) => {
    const { control, name } = parseCombination(keys);
    browser.key(name, control);
  },
  scroll: (browser, { direction }) => browser.scroll(direction === 'up' ? -1 : 1),
  goto: (browser, { url }) => browser.visit({ method: 'GET', url, form: {} }),
  tab_focus: (browser, { page }) => browser.focusTab(page),
  new_tab: (browser) => browser.addTab(),
  close_tab: (browser) => browser.closeTab(),
  go_back: (browser) => browser.travel(-1),
  go_forward: (browser) => browser.travel(1),
};
