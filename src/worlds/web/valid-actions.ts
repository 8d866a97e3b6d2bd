/**
 * Valid actions of a page: click and hover on actionable elements, type every text of the page and every span of the
 * objective into fields, and answer with the same texts. They depend only on what the agent can read, so that they
 * reveal neither the goal nor the oracle's plan.
 */

import { strip } from '../../python/text.ts';
import type { TreeText } from '../../webarena/tree-text.ts';
import { pageTree, roleOf } from './browser/accessibility.ts';
import type { Browser } from './browser/session.ts';
import { actable } from './driver.ts';
import { atLeast } from './listed-actions.ts';
import { verbNames } from './options.ts';

const longestSpan = 8;
const longestText = 120;

/** A span without surrounding quotes, and also without final punctuation. */
function trims(span: string): string[] {
  const bare = span.replace(/^["'(]+/, '').replace(/["')]+[.,:;?!]?$/, '');
  const plain = bare.replace(/[.,:;?!]+$/, '');
  return plain === bare ? [bare] : [bare, plain];
}

/** Spans of one to eight consecutive words. */
export function spansOf(objective: string): string[] {
  const words = objective.split(/\s+/).filter(Boolean);
  const found = new Set<string>();
  for (let from = 0; from < words.length; from++)
    for (let to = from + 1; to <= Math.min(words.length, from + longestSpan); to++)
      for (const text of trims(words.slice(from, to).join(' '))) if (text) found.add(text);
  return [...found];
}

/** True for texts that can be an argument. Brackets and line ends would end it early. */
const isWhole = (text: string) => text.length > 0 && text.length <= longestText && !/[[\]\n]/.test(text);
const isTypable = (text: string) => [...text].every((c) => c >= ' ' && c.codePointAt(0)! < 1000 && c !== '\u0080');

function valuesOf(browser: Browser, { nodes }: TreeText): string[] {
  const names = new Map(browser.pageTree().nodes.map(({ nodeId, name }) => [nodeId, name?.value ?? '']));
  return [...nodes.keys()].map((id) => strip(names.get(id) ?? ''));
}

/** Texts on the other tabs' pages, because a text read there may have to be typed here. */
function otherTabs({ options, state }: Browser): string[] {
  return state.tabs.flatMap(({ history, at }, k) => {
    if (k === state.current) return [];
    const { html, title } = history[at];
    return pageTree(options.parse(html), title, {}, null).nodes.map(({ name }) => strip(name?.value ?? ''));
  });
}

function textsFor(browser: Browser, seen: TreeText, objective: string): string[] {
  const values = [...valuesOf(browser, seen), ...otherTabs(browser), ...spansOf(objective)];
  return [...new Set(values)].filter(isWhole);
}

export type Verb = (typeof verbNames)[number];

interface Offer {
  browser: Browser;
  elements: { id: string; editable: boolean }[];
  /** Texts that can be typed or used as an answer. */
  texts: readonly string[];
}

const offers: { [verb in Verb]: (offer: Offer) => string[] } = {
  click: ({ elements }) => elements.map(({ id }) => `click [${id}]`),
  hover: ({ elements }) => elements.map(({ id }) => `hover [${id}]`),
  type: ({ elements, texts }) =>
    elements
      .filter(({ editable }) => editable)
      .flatMap(({ id }) =>
        texts.filter(isTypable).flatMap((text) => [`type [${id}] [${text}] [0]`, `type [${id}] [${text}] [1]`]),
      ),
  press: ({ browser }) =>
    browser.focusedElement()
      ? ['press [Control+a]', 'press [Backspace]', 'press [Enter]', 'press [Tab]']
      : ['press [Tab]'],
  scroll: ({ browser }) => {
    const { screenLines } = browser.options;
    const below = screenLines > 0 && browser.entry.scroll + screenLines < browser.pageTree().lines;
    return [...(browser.entry.scroll > 0 ? ['scroll [up]'] : []), ...(below ? ['scroll [down]'] : [])];
  },
  tab: ({ browser: { state } }) => state.tabs.map((_, k) => `tab_focus [${k}]`).filter((_, k) => k !== state.current),
  history: ({ browser: { state } }) => {
    const { at, history } = state.tabs[state.current];
    return [...(at > 0 ? ['go_back'] : []), ...(at < history.length - 1 ? ['go_forward'] : [])];
  },
  stop: ({ texts }) => ['stop []', 'stop [N/A]', ...texts.map((text) => `stop [${text}]`)],
};

/** Actionable elements in the visible part of the page, in order. */
export function elementsSeen(browser: Browser, seen: TreeText): Offer['elements'] {
  const can = actable(browser);
  const tree = browser.pageTree();
  return [...seen.nodes.keys()].flatMap((id) => {
    const element = tree.elements.get(id);
    const own = element && tree.nodes[indexOf(tree, id)]?.role?.value;
    if (!element || !can.has(element) || own !== roleOf(element) || element.hasAttribute('disabled')) return [];
    return [{ id, editable: own === 'textbox' }];
  });
}

/** Distinct valid actions with the wanted verbs. */
export function validActions(
  browser: Browser,
  seen: TreeText,
  objective: string,
  wanted: readonly Verb[] = verbNames,
): string[] {
  const elements = elementsSeen(browser, seen);
  const texts = wanted.some((verb) => verb === 'type' || verb === 'stop') ? textsFor(browser, seen, objective) : [];
  const found = new Set(wanted.flatMap((verb) => offers[verb]({ browser, elements, texts })));
  return found.size ? [...found] : [...atLeast];
}

const indexes = new WeakMap<object, Map<string, number>>();
function indexOf(tree: ReturnType<Browser['pageTree']>, id: string): number {
  let known = indexes.get(tree);
  if (!known) {
    known = new Map(tree.nodes.map(({ nodeId }, k) => [nodeId, k]));
    indexes.set(tree, known);
  }
  return known.get(id) ?? -1;
}
