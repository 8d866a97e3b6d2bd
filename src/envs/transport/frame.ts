/**
 * Opens a world's frame in a page: sandboxed on an origin of its own, everything inline, a policy that lets in nothing but its one
 * script. It talks over the one port that it is handed. Knows no world.
 */
import { WorldError } from '../env.ts';

const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
const policyTag = (policy: string) =>
  `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
const inAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The end of a script in its own text would end it early. The page's policy names what this gives by its hash (scripts/content-policy.mjs). */
export const safeScript = (script: string) => script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

/** In an element of its own: a style attribute has no hash. */
export const nestedStyle = 'body{margin:0}iframe{border:0;width:100%;height:100vh;display:block}';

/** A frame's whole document. `script` runs, by its nonce; nothing else does, and nothing is fetched. */
export function frameDocument(script: string, nonce: string, head = ''): string {
  return (
    `<!DOCTYPE html><html lang="en"><head>${policyTag(policyOf(nonce))}<title>World</title>${head}</head>` +
    `<body><script nonce="${nonce}">${safeScript(script)}</script></body></html>`
  );
}

/**
 * Two frames, one in the other. A document's own policy does not keep it from leaving for another address; that of the one around it
 * does (`frame-src`, which lets `srcdoc` through). The inner one also keeps the outer one's policy, so the nonce is both's.
 */
export function nestedDocument(inner: string, nonce: string): string {
  return (
    `<!DOCTYPE html><html lang="en"><head>${policyTag(`default-src 'none'; script-src 'nonce-${nonce}'; frame-src 'none'; style-src 'unsafe-inline'`)}<title>World</title><style>${nestedStyle}</style></head>` +
    `<body><iframe sandbox="allow-scripts" title="World" srcdoc="${inAttribute(inner)}"></iframe></body></html>`
  );
}

export function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An iframe that is not seen but stands in the page: one that is not rendered may be frozen. */
function hiddenFrame(document: Document, source: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.title = 'World';
  frame.style.cssText =
    'position:fixed;width:1px;height:1px;inset:auto 0 0 auto;border:0;opacity:0;pointer-events:none';
  frame.srcdoc = source;
  return frame;
}

const openTimeoutMs = 20_000;

/**
 * Opens a frame with this script (built, in one piece) and hands it its end of a channel. Rejects where the frame does not load, or
 * with the signal's reason.
 */
export async function openFrame(
  script: string,
  port: MessagePort,
  signal?: AbortSignal,
  document: Document = globalThis.document,
): Promise<HTMLIFrameElement> {
  signal?.throwIfAborted();
  const nonce = newNonce();
  const frame = hiddenFrame(document, nestedDocument(frameDocument(script, nonce), nonce));
  await loaded(frame, document, signal);
  const inner = frame.contentWindow?.[0];
  if (!inner)
    throw new WorldError(
      'This browser opens no frame inside a frame, which worlds of this kind need. Try another one.',
    );
  // All that a page may know of the inner one is its number.
  inner.postMessage(null, '*', [port]);
  return frame;
}

function loaded(frame: HTMLIFrameElement, document: Document, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (error: Error) => {
      frame.remove();
      reject(error);
    };
    const late = new WorldError(`The frame of a world did not load within ${openTimeoutMs} ms. Reload the page.`);
    const timer = setTimeout(() => give(late), openTimeoutMs);
    signal?.addEventListener('abort', () => give(signal.reason as Error), { once: true });
    frame.addEventListener('load', () => {
      clearTimeout(timer);
      resolve();
    });
    document.body.append(frame);
  });
}
