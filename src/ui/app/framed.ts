/**
 * The page in a frame of another site: only the embedded view (`?embed`) is shown there. Anything else could trick a
 * click out of a person (clickjacking), so the frame has only a link to the page itself. Servers that can send
 * `frame-ancestors` keep the frame empty; this is for those that cannot.
 */
import { msg } from '@lit/localize';
import { isEmbedded } from '../state/embedded-view.ts';

/** True if the outermost page is of another origin. */
function isFramedByOthers(): boolean {
  if (window.top === window.self) return false;
  try {
    return window.top!.location.origin !== location.origin;
  } catch {
    return true;
  }
}

export const showsOnlyLink = () => isFramedByOthers() && !isEmbedded();

/** Replaces the page by a link to itself. */
export function showLink(): void {
  const link = document.createElement('a');
  link.href = location.href;
  link.target = '_blank';
  link.rel = 'noopener';
  link.textContent = msg('Open in Tabgym');
  document.body.replaceChildren(link);
}
