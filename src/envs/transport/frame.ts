/**
 * Opens a world's frame in a page: sandboxed on an origin of its own, with everything inline and a policy that allows
 * only its one script. It communicates only through the port that it is given.
 */
import { WorldError } from '../env.ts';

const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;
const policyTag = (policy: string) =>
  `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
const inAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/**
 * Escapes `</script` in a script, which would end its element early. The page's policy contains the hash of the result
 * (scripts/content-policy.mjs).
 */
export const safeScript = (script: string) => script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

/** In a style element, because a style attribute has no hash. */
export const nestedStyle = 'body{margin:0}iframe{border:0;width:100%;height:100vh;display:block}';

/** A complete document for a frame. `script` runs by its nonce; nothing else runs, and nothing is fetched. */
export function frameDocument(script: string, nonce: string, head = ''): string {
  return (
    `<!DOCTYPE html><html lang="en"><head>${policyTag(policyOf(nonce))}<title>World</title>${head}</head>` +
    `<body><script nonce="${nonce}">${safeScript(script)}</script></body></html>`
  );
}

/**
 * Two nested frames. A document's own policy does not stop it from navigating to another address; the policy of the
 * document around it does (`frame-src`, which allows `srcdoc`). The inner document inherits the outer one's policy, so
 * both have the same nonce.
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

/** An iframe that is invisible but rendered, because one that is not rendered may be frozen. */
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
 * Opens a frame with this script (built, in one piece) and gives it its end of a channel. Rejects if the frame does not
 * load, or with the signal's reason.
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
      'This browser cannot open a frame inside a frame, which worlds of this kind need. Use another browser.',
    );
  // The page can reach the inner frame only by its index.
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
