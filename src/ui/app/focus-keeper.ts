/**
 * Keeps the keyboard's focus where a change of the page takes it away: from a button that is disabled while it works,
 * and from an element that is gone, such as those of a closed drawer. A pointer sets the focus by itself.
 */
import type { Store } from '../state/state.ts';

/** Number of focused elements to go back to. */
const most = 30;

/** Element that had the focus, and its place: each host's tag and the element's, with its number among those in its root. */
interface Focused {
  element: HTMLElement;
  place: readonly (readonly [tag: string, index: number])[];
}

/** The focused element within all shadow roots; null if nothing has the focus. */
function focused(): Focused | null {
  let root: Document | ShadowRoot = document;
  const place: [string, number][] = [];
  for (;;) {
    const element: Element | null = root.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return null;
    place.push([element.localName, [...root.querySelectorAll(element.localName)].indexOf(element)]);
    if (!element.shadowRoot?.activeElement) return { element, place };
    root = element.shadowRoot;
  }
}

/** The element at the place, or the nearest one before it that takes the focus, after the page was drawn anew. */
function at(place: Focused['place']): HTMLElement | null {
  let root: Document | ShadowRoot | null = document;
  let element: HTMLElement | null = null;
  for (const [tag, index] of place) {
    const upTo: HTMLElement[] = root ? [...root.querySelectorAll<HTMLElement>(tag)].slice(0, index + 1) : [];
    element = upTo.findLast((each) => each.checkVisibility() && !each.matches(':disabled')) ?? null;
    root = element?.shadowRoot ?? null;
  }
  return element;
}

/** Focus target before the stage. */
const stage = () =>
  document.querySelector('tabgym-app')?.shadowRoot?.querySelector<HTMLElement>('[data-place="stage"]') ?? null;

const isThere = ({ element }: Focused) => element.isConnected && element.checkVisibility();

export function keepFocus(store: Store) {
  /** The newest last. */
  let trail: Focused[] = [];
  let isWaiting = false;
  /** True from a click until the next key: what it focused is no place to go back to. */
  let byPointer = false;

  const note = () => {
    const now = focused();
    if (now) trail = [...trail.filter(({ element }) => element !== now.element), now].slice(-most);
    return now;
  };

  const keep = () => {
    isWaiting = false;
    const last = trail.at(-1);
    if ((byPointer ? focused() : note()) || !last) return;
    if (isThere(last)) {
      if (!last.element.matches(':disabled')) last.element.focus({ preventScroll: true });
      return;
    }
    const before = trail.findLast((each) => isThere(each) && !each.element.matches(':disabled'));
    if (before) return before.element.focus();
    at(last.place)?.focus();
    if (!focused()) stage()?.focus();
  };

  /** After the panels are drawn. */
  const keepSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(keep, 50);
  };

  addEventListener(
    'keydown',
    () => {
      byPointer = false;
      note();
    },
    true,
  );
  addEventListener('keyup', keepSoon, true);
  addEventListener(
    'pointerdown',
    () => {
      trail = [];
      byPointer = true;
    },
    true,
  );
  store.listen(keepSoon);
}
