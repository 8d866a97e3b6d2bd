/**
 * Entry of a world's frame: the world Web with the frame's own DOM parser, served over the port received from the page.
 * The frame has no origin, network or storage. It works on messages only, so a hidden tab does not slow it down.
 */
import { serveWorld, type WorldReply, type WorldRequest } from '../../../envs/transport/port.ts';
import { Web } from '../world.ts';

const parser = new DOMParser();
/**
 * Parses into a document that is never shown, so that nothing in it runs or loads. The library for accessible names
 * reads the document's window, which is set to the frame's.
 */
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

// The page is two frames further out. It may be in a frame itself, so `window.top` is not always the page. Whoever holds
// the page's window may send messages too, also before the page does.
addEventListener('message', function receivePort({ source, ports }) {
  if (source !== window.parent.parent || ports.length !== 1) return;
  removeEventListener('message', receivePort);
  serve(ports[0]);
});
