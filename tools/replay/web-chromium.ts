/**
 * Compares our tree of a page with Chromium's own, under the rules of WebArena's observation. Ids always differ, and
 * the rules drop static text if an earlier id contains the same digits. So both trees are renumbered alike, with digits
 * that occur in no page.
 */
import type { CDPSession, Page } from 'playwright-core';
import { type AxNode, type Box, treeText, withPublishedRoles } from '../../src/webarena/tree-text.ts';
import { controlsAndLinks, controlsOf } from '../../src/worlds/web/browser/accessibility.ts';
import type { Browser } from '../../src/worlds/web/browser/session.ts';

/** Arabic-Indic digits: the rules accept them as digits, and no page contains them. */
const foreign = (id: string) => [...id].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('');

/** Text of the tree with its nodes renumbered in printing order. */
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

/** Copies the values of our fields and the focus into Chromium's page. */
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

/** Text of Chromium's tree for the page, with the same field values as ours. */
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
  return renumbered(withPublishedRoles(nodes), boxOf, browser.entry.title);
}
