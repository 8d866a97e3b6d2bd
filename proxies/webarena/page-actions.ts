/**
 * WebArena's actions in a real page, as its driver performs them (browser_env/actions.py,
 * github.com/web-arena-x/webarena, Apache-2.0): a click goes to the middle of the element's last observed box, and
 * typing does not clear a field. A failed action throws; the message is the original's `fail_error`.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { repr } from '../../src/python/text.ts';
import type { Action } from '../../src/webarena/actions.ts';
import type { PrintedNode } from '../../src/webarena/tree-text.ts';
import type { Hosts } from '../network/hosts.ts';
import { ForbiddenAddress } from './failures.ts';

/** An action failed; the message is the original's. */
class ActingError extends Error {
  override name = 'ActingError';
}

export interface Scene {
  context: BrowserContext;
  page: Page;
  nodes: ReadonlyMap<string, PrintedNode>;
  hosts: Hosts;
  loadMs: number;
}

function middleOf({ nodes }: Scene, id: string): [x: number, y: number] {
  const node = nodes.get(id);
  if (!node) throw new ActingError(repr(id));
  if (!node.box) throw new ActingError('cannot unpack non-iterable NoneType object');
  const [x, y, width, height] = node.box;
  return [x + width / 2, y + height / 2];
}

/** Throws unless the address is http or https and belongs to an allowed site. Called before any request. */
export function checkAddress(url: string, hosts: Hosts): void {
  if (url === 'about:blank') return;
  if (!URL.canParse(url)) throw new ActingError(`Protocol error (Page.navigate): Cannot navigate to invalid URL`);
  const { protocol, host } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ForbiddenAddress(`Only http and https addresses can be opened (it is ${protocol}).`);
  if (!hosts.targetOf(url))
    throw new ForbiddenAddress(`${host} is not one of the sites that the proxy was configured with.`);
}

async function goto({ page, hosts, loadMs }: Scene, url: string): Promise<void> {
  checkAddress(url, hosts);
  await page.goto(url, { timeout: loadMs });
}

const scrollBy = (sign: 1 | -1) =>
  `(() => { const e = document.scrollingElement || document.body; e.scrollTop = e.scrollTop + ${sign} * window.innerHeight; })()`;

type Run<K extends Action['kind']> = (scene: Scene, action: Extract<Action, { kind: K }>) => Promise<unknown>;

/** An action that changes the current page returns the new one. */
const runs: { [K in Action['kind']]: Run<K> } = {
  none: async () => {},
  stop: async () => {
    throw new ActingError('Unknown action type: ACTION_TYPES.STOP');
  },
  click: async (scene, { element }) => scene.page.mouse.click(...middleOf(scene, element)),
  hover: async (scene, { element }) => scene.page.mouse.move(...middleOf(scene, element)),
  type: async (scene, { element, text }) => {
    await scene.page.mouse.click(...middleOf(scene, element));
    await scene.page.keyboard.type(text);
  },
  press: async ({ page }, { keys }) =>
    page.keyboard.press(process.platform === 'darwin' ? keys : keys.replaceAll('Meta', 'Control')),
  scroll: async ({ page }, { direction }) => void (await page.evaluate(scrollBy(direction === 'up' ? -1 : 1))),
  goto: (scene, { url }) => goto(scene, url),
  tab_focus: async ({ context }, { page: number }) => {
    const page = context.pages()[Number(number)];
    if (!page) throw new ActingError('list index out of range');
    await page.bringToFront();
    return page;
  },
  new_tab: async ({ context }) => context.newPage(),
  close_tab: async ({ context, page }) => {
    await page.close();
    return context.pages().at(-1) ?? context.newPage();
  },
  go_back: async ({ page, loadMs }) => void (await page.goBack({ timeout: loadMs })),
  go_forward: async ({ page, loadMs }) => void (await page.goForward({ timeout: loadMs })),
};

/** Performs an action and returns the page that is current afterwards. */
export async function performAction(scene: Scene, action: Action): Promise<Page> {
  const other = await (runs[action.kind] as Run<Action['kind']>)(scene, action as never);
  return (other as Page | undefined) ?? scene.page;
}
