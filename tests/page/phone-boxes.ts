/**
 * Screens on which the phone's oracles act, served with a page that draws each in the phone's frame and reports the
 * boxes that the browser gave its elements. The page drives itself, so that any browser can open it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WorldOptions } from '../../src/envs/env.ts';
import { frameDocument, nestedDocument, newNonce } from '../../src/envs/transport/frame.ts';
import { pageFrameScript, pageFrameStyle } from '../../src/worlds/phone/view/frame-script.ts';
import type { PhoneView, ScreenSeen } from '../../src/worlds/phone/view-data.ts';
import { PhoneWorld } from '../../src/worlds/phone/world.ts';

type Box = [key: string, left: number, top: number, right: number, bottom: number];

/** Everything that decides boxes: screens that share it have equal ones. */
const geometryOf = ({ elements, chrome, overlay, largeFont, title }: ScreenSeen) =>
  JSON.stringify([
    ...[overlay, largeFont, title === 'Home', chrome.length],
    ...elements.map(({ kind, part, rows, cell, state, text: { length } }) => [kind, part, rows, cell, state, length]),
  ]);

/** All different screens on which the oracle acts, in `count` instances of each template and split. */
export async function oracleScreens(count: number): Promise<ScreenSeen[]> {
  const world = await PhoneWorld.open();
  const screens = new Map<string, ScreenSeen>();
  const look = async () => {
    const view: PhoneView = await world.view(0);
    screens.set(geometryOf(view), view);
  };
  const settings: WorldOptions[] = [{}, { items: 10, largeFont: 100, slow: 60, popups: 60 }];
  for (const more of settings)
    for (const split of ['train', 'test'] as const)
      for (const task of await world.tasks({ instances: count, testInstances: count, ...more }, split)) {
        await world.reset([0], [task]);
        const [plan] = await world.oracle([0]);
        for (const action of plan!) {
          await look();
          await world.step([0], [action]);
        }
      }
  return [...screens.values()];
}

/** Largest difference of a side, in thousandths, of two lists of boxes; throws if their elements differ. */
export function worstGap(screen: ScreenSeen, boxes: readonly Box[]): { gap: number; key: string } {
  const own = [...screen.elements, ...screen.chrome];
  const names = (keys: readonly string[]) => [...keys].sort().join(', ');
  if (names(own.map(({ key }) => key)) !== names(boxes.map(([key]) => key)))
    throw new Error(`"${screen.title}" has other elements in the frame: ${names(boxes.map(([key]) => key))}`);
  let worst = { gap: 0, key: '' };
  for (const [key, ...sides] of boxes)
    for (const [k, side] of own.find((each) => each.key === key)!.box.entries()) {
      const gap = Math.abs(side - sides[k]);
      if (gap > worst.gap) worst = { gap, key: `${screen.title}: ${key}` };
    }
  return worst;
}

/** Runs in the page: draws every screen at a width and reports the boxes. */
const driver = `
const width = Number(new URLSearchParams(location.search).get('width'));
const [source, screens] = await (await fetch('/screens')).json();
const frame = document.createElement('iframe');
frame.setAttribute('sandbox', 'allow-scripts');
frame.style.cssText = 'border:0;display:block;width:' + width + 'px;height:' + width * 780 / 360 + 'px';
frame.srcdoc = source;
document.body.append(frame);
await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
const { port1, port2 } = new MessageChannel();
const heard = () => new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
const ready = heard();
frame.contentWindow[0].postMessage(null, '*', [port2]);
await ready;
const drawn = [];
for (const screen of screens) {
  port1.postMessage({ screen, target: null, heat: [], plays: true, back: 'Back' });
  const answer = heard();
  port1.postMessage({ measure: true });
  drawn.push((await answer).boxes);
}
await fetch('/boxes', { method: 'POST', body: JSON.stringify(drawn) });
`;

/** Serves the screens; `boxes` resolves with what the next browser that opens the address reports. */
export async function serveScreens(screens: readonly ScreenSeen[]) {
  const nonce = newNonce();
  const source = nestedDocument(frameDocument(pageFrameScript, nonce, `<style>${pageFrameStyle}</style>`), nonce);
  const waiting: ((boxes: Box[][]) => void)[] = [];
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    asked.push(pathname);
    if (pathname === '/boxes') {
      const boxes = JSON.parse(await text(request)) as Box[][];
      for (const done of waiting.splice(0)) done(boxes);
      return response.end();
    }
    const isPage = pathname === '/';
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'application/json');
    const tinted = screens.map(({ elements, ...rest }) => ({
      ...rest,
      elements: elements.map((each) => ({ ...each, tint: 0 })),
    }));
    response.end(
      isPage
        ? `<!DOCTYPE html><title>page</title><style>body{margin:0}</style><body><script type="module">${driver}</script>`
        : JSON.stringify([source, tinted]),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Paths that were requested. */
    asked,
    boxes: () => new Promise<Box[][]>((resolve) => waiting.push(resolve)),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
