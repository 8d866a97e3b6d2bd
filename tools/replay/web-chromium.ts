/**
 * Our tree of a page beside Chromium's own, by the rules of WebArena's observation. Ids differ by nature, and static text is dropped
 * where an id before it holds the same digits: so both get the same ids, of digits that no page has.
 */
import type { CDPSession, Page } from 'playwright-core';
import { type AxNode, asPublished, type Box, treeText } from '../../src/webarena/tree-text.ts';
import { controlsAndLinks, controlsOf } from '../../src/worlds/web/browser/accessibility.ts';
import type { Browser } from '../../src/worlds/web/browser/session.ts';

/** Arabic-Indic digits: digits to the rules, absent from the pages. */
const foreign = (id: string) => [...id].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('');

/** Nodes renumbered in the order they are printed in. */
function renumbered(nodes: readonly AxNode[], boxOf: (node: AxNode) => Box, title: string): string {
  const screen = { screenWidth: 1280, screenHeight: 100_000, devicePixelRatio: 1, layoutWidth: 1280 };
  const tabs = { titles: [title], current: 0 };
  const order = [...treeText(nodes, boxOf, tabs, screen, true).nodes.keys()];
  const next = new Map(order.map((id, k) => [id, foreign(String(k + 1))]));
  const rename = (id: string) => next.get(id) ?? `-${id}`;
  const renamed = nodes.map((node) => ({
    ...node,
    nodeId: rename(node.nodeId),
    parentId: node.parentId === undefined ? undefined : rename(node.parentId),
    childIds: node.childIds?.map(rename),
    source: node,
  }));
  return treeText(renamed, (node) => boxOf((node as (typeof renamed)[number]).source), tabs, screen, true).text;
}

export function isolatedIds(browser: Browser): string {
  const { nodes, boxes } = browser.pageTree();
  return renumbered(nodes, ({ nodeId }) => boxes.get(nodeId) ?? null, browser.entry.title);
}

/** Puts into the page's fields what stands in ours, and the focus where it is. */
async function fill(page: Page, browser: Browser): Promise<void> {
  const count = controlsOf(browser.page()).length;
  const { controls, focused } = browser.entry;
  const hasFocus = focused !== null && controlsAndLinks(browser.page()).length > focused;
  await page.evaluate(
    ([states, size, at]) => {
      const all = [...document.querySelectorAll('input,textarea,button')] as HTMLInputElement[];
      if (all.length !== size) throw new Error(`${all.length} controls, not ${size}`);
      for (const [index, { value, checked }] of Object.entries(states)) {
        if (value !== undefined) all[Number(index)].value = value;
        if (checked !== undefined) all[Number(index)].checked = checked;
      }
      const focusable = [...document.querySelectorAll('a[href],input,textarea,button')].filter(
        (e) => e.getAttribute('type') !== 'hidden',
      );
      if (at >= 0) (focusable[at] as HTMLElement).focus();
    },
    [controls as { [index: string]: { value?: string; checked?: boolean } }, count, hasFocus ? focused : -1] as const,
  );
}

/** What Chromium's protocol says of the page that `page` shows, with the fields as they are in ours. */
export async function chromiumText(client: CDPSession, page: Page, browser: Browser): Promise<string> {
  await fill(page, browser);
  const { nodes } = (await client.send('Accessibility.getFullAXTree', {})) as unknown as { nodes: AxNode[] };
  const { documents } = await client.send('DOMSnapshot.captureSnapshot', { computedStyles: [] });
  const [{ layout, nodes: dom }] = documents;
  const bounds = new Map(
    layout.nodeIndex.map((node, k) => [dom.backendNodeId![node], layout.bounds[k] as unknown as Box]),
  );
  const unseen = new Set(['InlineTextBox', 'ListMarker']);
  const boxOf = ({ role, backendDOMNodeId }: AxNode): Box => {
    if (role?.value === 'RootWebArea') return [0, 0, 10, 10];
    if (backendDOMNodeId === undefined || unseen.has(role?.value ?? '')) return null;
    return bounds.get(backendDOMNodeId) ?? [0, 0, 1, 1];
  };
  return renumbered(asPublished(nodes), boxOf, browser.entry.title);
}
