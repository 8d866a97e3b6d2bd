/**
 * Short form of the tree for tiny policies: one line for each named node, in the tree's order. Actionable elements have
 * their id, their role unless it is a link, and their true properties (`checked: true`). All other nodes have only
 * their name after a dash, because their id could not be used. The text contains nothing beyond the tree, and leaves
 * out only names that the next line repeats. The id comes first, or last if `idLast`: an attention head that copies what
 * followed a word before then finds the id of an element by its name.
 */

import { strip } from '../../python/text.ts';
import { propertyTexts, type TreeText } from '../../webarena/tree-text.ts';
import type { Browser } from './browser/session.ts';
import { elementsSeen } from './valid-actions.ts';

const printedId = /^\t*\[(\d+)\]/;
/** True for properties that are kept: those that are not `false`. */
const isKept = (property: string) => !/: false$/i.test(property);

export interface Line {
  /** Null if the element is not actionable. */
  id: string | null;
  role: string;
  name: string;
  properties: string;
}

function allLines(browser: Browser, seen: TreeText): Line[] {
  const nodes = new Map(browser.pageTree().nodes.map((node) => [node.nodeId, node]));
  const elements = new Set(elementsSeen(browser, seen).map(({ id }) => id));
  const tree = seen.text.slice(seen.text.indexOf('\n\n') + 2);
  return tree.split('\n').flatMap((text) => {
    const id = printedId.exec(text)?.[1];
    const node = id === undefined ? undefined : nodes.get(id);
    if (id === undefined || !node) return [];
    const name = strip(node.name?.value ?? '');
    const can = elements.has(id);
    if (!name && !can) return [];
    const shown = can ? propertyTexts(node).filter(isKept) : [];
    return [{ id: can ? id : null, role: node.role?.value ?? '', name, properties: shown.join(' ') }];
  });
}

export function printLine({ id, role, name, properties }: Line, idLast = false): string {
  if (id === null) return `- ${name}`;
  const words = [role === 'link' && name ? '' : role, name, properties];
  return (idLast ? [...words, id] : [id, ...words]).filter(Boolean).join(' ');
}

/** Lines of the visible part of the page, without names that the next line repeats. */
export const linesOf = (browser: Browser, seen: TreeText): Line[] =>
  allLines(browser, seen).filter(({ id, name }, k, lines) => id !== null || name !== lines[k + 1]?.name);

/** Short form of the visible part of the page, after the tabs if there are several. */
export function terseText(browser: Browser, idLast = false): string {
  const seen = browser.observe();
  const shown = linesOf(browser, seen).map((line) => printLine(line, idLast));
  const tabs = browser.state.tabs.length > 1 ? [seen.text.slice(0, seen.text.indexOf('\n'))] : [];
  return [...tabs, ...shown].join('\n');
}
