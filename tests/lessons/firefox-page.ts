/**
 * Runs in Firefox around the page: drives the lesson of a page in a frame of the wanted size, and reports by POST
 * /said.
 */
import { driveLesson } from './drives.ts';
import { deepActive, deepAll, type Hands, NotReachedError } from './hands.ts';
import type { Settings } from './settings.ts';

const say = (about: string, what: string) => fetch('/said', { method: 'POST', body: JSON.stringify([about, what]) });
const settings = JSON.parse(new URLSearchParams(location.search).get('settings')!) as Settings;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function framed(): Promise<HTMLIFrameElement> {
  localStorage.clear();
  localStorage.setItem('tabgym.theme', settings.theme);
  localStorage.setItem('tabgym.arrangement', 'lab');
  const frame = document.createElement('iframe');
  Object.assign(frame.style, { width: `${settings.width}px`, height: '860px', border: '0' });
  frame.src = `/#lang=${settings.language}`;
  document.body.append(frame);
  return new Promise((resolve) => frame.addEventListener('load', () => resolve(frame), { once: true }));
}

function handsOf(frame: HTMLIFrameElement): Hands {
  const inner = frame.contentWindow! as Window & typeof globalThis;
  // Runs beside the page, whose content security policy allows no foreign script.
  const all = (selector: string) => deepAll(selector, inner.document) as HTMLElement[];
  const active = () => (deepActive(inner.document) as HTMLElement | null) ?? inner.document.body;
  /** Default action of the browser for a key that the page did not handle. */
  const byDefault = (key: string, element: HTMLElement) => {
    if (element.matches('input[type=radio]')) return radio(key, element as HTMLInputElement);
    if ((key === 'Enter' || key === 'Space') && element.matches('button, a, summary')) element.click();
    else if (key === 'Enter' && element.matches('input')) (element as HTMLInputElement).form?.requestSubmit();
  };
  const radio = (key: string, element: HTMLInputElement) => {
    if (key === 'Space') return element.click();
    const group = [
      ...(element.getRootNode() as ParentNode).querySelectorAll<HTMLInputElement>(`input[name="${element.name}"]`),
    ];
    const next = group[(group.indexOf(element) + (key === 'ArrowDown' ? 1 : 0)) % group.length];
    next.focus();
    next.click();
  };
  const hands: Hands = {
    async reach(selector) {
      await hands.until(selector, 15_000);
      // In a group of radio buttons Tab reaches the checked one.
      const [first, ...rest] = all(selector);
      const to = [first, ...rest].find((each) => (each as HTMLInputElement).checked) ?? first;
      to.focus();
      if (active() !== to) throw new NotReachedError(`${selector} does not take the focus.`);
    },
    async press(key) {
      const element = active();
      const event = new inner.KeyboardEvent('keydown', {
        key: key === 'Space' ? ' ' : key,
        bubbles: true,
        composed: true,
        cancelable: true,
      });
      if (element.dispatchEvent(event)) byDefault(key, element);
      await pause(30);
    },
    async type(text) {
      const element = active() as HTMLInputElement;
      element.value += text;
      element.dispatchEvent(new inner.Event('input', { bubbles: true, composed: true }));
      await pause(30);
    },
    text: async (selector) => all(selector)[0]?.innerText ?? '',
    count: async (selector) => all(selector).length,
    async until(selector, ms = 30_000) {
      const end = Date.now() + ms;
      while (!all(selector).length) {
        if (Date.now() > end) throw new NotReachedError(`${selector} did not come within ${ms / 1000} s.`);
        await pause(100);
      }
    },
    done: async (lesson) => JSON.parse(localStorage.getItem('tabgym.lessons') ?? 'null')?.lessons?.[lesson]?.done ?? [],
    pause,
    note: (text) => void say('note', text),
  };
  return hands;
}

async function run() {
  const hands = handsOf(await framed());
  await hands.until('tabgym-welcome button.primary:not(:disabled)', 120_000);
  await driveLesson(hands, settings.lesson);
}

run().then(
  () => say('done', settings.lesson),
  (error: Error) => say('failed', error.message),
);
