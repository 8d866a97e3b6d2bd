/**
 * Keyboard input for a drive. One implementation presses the keys of a real keyboard in Chromium; the other runs inside
 * the page in Firefox and imitates the browser's reaction to them. Selectors search through all shadow roots.
 */
export interface Hands {
  /** Focuses a control as Tab does. Rejects if it cannot be reached. */
  reach(selector: string): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Text of the first matching element; empty if there is none. */
  text(selector: string): Promise<string>;
  count(selector: string): Promise<number>;
  /** Waits until an element matches. */
  until(selector: string, ms?: number): Promise<void>;
  /** Parts of a lesson that are stored as done. */
  done(lesson: string): Promise<readonly string[]>;
  pause(ms: number): Promise<void>;
  /** Prints a note with the test's output. */
  note(text: string): void;
}

export class NotReachedError extends Error {
  override name = 'NotReachedError';
}

/**
 * All drawn elements that match a selector, in any shadow root. `tabgym-X REST` is REST inside the shadow root of an X,
 * at any depth. Runs in the page, or outside it if the page's content policy allows no foreign script; `page` is then
 * the page's document.
 */
export function deepAll(selector: string, page: Document = document): Element[] {
  const all = (root: ParentNode, wanted: string): Element[] => [
    ...root.querySelectorAll(wanted),
    ...[...root.querySelectorAll('*')].flatMap((each) => (each.shadowRoot ? all(each.shadowRoot, wanted) : [])),
  ];
  const [, host, rest] = /^(tabgym-[\w-]+) (.+)$/.exec(selector) ?? [];
  const found = host
    ? all(page, host).flatMap((each) => (each.shadowRoot ? all(each.shadowRoot, rest) : []))
    : all(page, selector);
  return [...new Set(found)].filter((each) => each.getClientRects().length > 0);
}

/** The focused element, through all shadow roots; runs where `deepAll` does. */
export function deepActive(page: Document = document): Element | null {
  let element = page.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Reaches a button and presses it. */
export async function act(hands: Hands, selector: string, key = 'Enter') {
  await hands.reach(selector);
  await hands.press(key);
}

/** Waits shorter than this, in milliseconds, involved no training and are not noted. */
const worthNoting = 3000;

/** Waits until the lesson has stored a part as done. */
export async function untilDone(hands: Hands, lesson: string, part: string, ms = 120_000) {
  const started = Date.now();
  const end = started + ms;
  while (!(await hands.done(lesson)).includes(part)) {
    if (Date.now() > end)
      throw new NotReachedError(
        `“${part}” of ${lesson} was not done within ${ms / 1000} s; it said: ${await hands.text('tabgym-lessons .part.current')}`,
      );
    await hands.pause(200);
  }
  if (Date.now() - started > worthNoting)
    hands.note(`${lesson}: “${part}” after ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

export const isDone = async (hands: Hands, lesson: string, part: string) => (await hands.done(lesson)).includes(part);
