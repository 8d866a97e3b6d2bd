/**
 * What runs inside a world's frame: the web over the frame's own DOM parser, served over the one port that its page hands it. It has no
 * origin, no network and no storage, and acts on messages only: a hidden tab does not slow it.
 */
import { serveWorld, type WorldReply, type WorldRequest } from '../../../envs/transport/port.ts';
import { Web } from '../world.ts';

const parser = new DOMParser();
/** A document that is never shown: nothing in it runs or loads. Naming asks for its window, and is given the frame's. */
function parse(html: string): Document {
  const source = `<!DOCTYPE html><html lang="en"><head></head><body>${html}</body></html>`;
  const document = parser.parseFromString(source, 'text/html');
  return Object.defineProperty(document, 'defaultView', { value: window });
}

function serve(port: MessagePort): void {
  const receive = serveWorld(
    (reply: WorldReply) => port.postMessage(reply),
    () => Web.open(parse),
  );
  port.onmessage = (event: MessageEvent<WorldRequest>) => receive(event.data);
}

addEventListener(
  'message',
  (event) => {
    if (event.source === window.top && event.ports.length === 1) serve(event.ports[0]);
  },
  { once: true },
);
