/** Keyboard input in Chromium: nothing is clicked, and a control counts as reached once Tab has focused it. */
import type { Page } from 'playwright-core';
import { deepActive, deepAll, type Hands, NotReachedError } from './hands.ts';

/** Tab presses after which a control counts as unreachable. */
const mostTabs = 600;

/** Functions that run in the page, installed once per document. */
const inPage = `globalThis.deepAll = ${deepAll}; globalThis.deepActive = ${deepActive};`;

export async function keyboardOf(page: Page): Promise<Hands> {
  await page.addInitScript(inPage);
  await page.evaluate(inPage);
  const evaluate = <T>(body: string, given?: string) =>
    page.evaluate(`((given) => { ${body} })(${JSON.stringify(given ?? '')})`) as Promise<T>;
  const hands: Hands = {
    async reach(selector) {
      await hands.until(selector, 15_000);
      const there = () => evaluate<boolean>('return deepAll(given).includes(deepActive())', selector);
      // Backwards if that is nearer in the document.
      const back = await evaluate<boolean>(
        'const active = deepActive(), to = deepAll(given)[0]; const key = (each) => each.getBoundingClientRect().left; return active && active !== document.body && key(to) + 50 < key(active)',
        selector,
      );
      for (let k = 0; k < mostTabs; k++) {
        if (await there()) return;
        await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
      }
      throw new NotReachedError(`The keyboard does not reach ${selector}.`);
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    text: (selector) => evaluate('return deepAll(given)[0]?.innerText ?? ""', selector),
    count: (selector) => evaluate('return deepAll(given).length', selector),
    async until(selector, ms = 30_000) {
      const end = Date.now() + ms;
      while (!(await hands.count(selector))) {
        if (Date.now() > end) throw new NotReachedError(`${selector} did not come within ${ms / 1000} s.`);
        await hands.pause(100);
      }
    },
    done: (lesson) =>
      evaluate(
        'return JSON.parse(localStorage.getItem("tabgym.lessons") ?? "null")?.lessons?.[given]?.done ?? []',
        lesson,
      ),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    note: (text) => console.log(text),
  };
  return hands;
}
