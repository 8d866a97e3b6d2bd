/**
 * Converts a plan of requests to the agent's actions: the links to click and the texts to type. An oracle can therefore
 * be written in terms of the sites and still acts through the same page as every policy. If the page has no link to an
 * address, the driver uses `goto`.
 */
import { parseAction } from '../../webarena/actions.ts';
import { controlsAndLinks, controlsOf, fieldValue, isTicked, lineHeight } from './browser/accessibility.ts';
import type { Browser, SentRequest } from './browser/session.ts';
import { parseAddress, resolve } from './sites/net.ts';
import type { PlanStep } from './tasks/template.ts';

/** The plan cannot be executed from the browser's current state. */
export class PlanError extends Error {
  override name = 'PlanError';
}

const sameAddress = (a: string, b: string) => {
  const [one, other] = [parseAddress(a), parseAddress(b)];
  return (
    one !== null &&
    other !== null &&
    one.host === other.host &&
    one.path === other.path &&
    sameFields(one.query, other.query)
  );
};

function sameFields(a: { [name: string]: string }, b: { [name: string]: string }): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

const mostScrolls = 50;

class Driver {
  readonly actions: string[] = [];

  constructor(readonly browser: Browser) {}

  do(action: string): void {
    this.actions.push(action);
    this.browser.act(parseAction(action), this.browser.observe().nodes);
  }

  /** Printed id of an element; scrolls until it is on the screen. */
  private idOf(element: Element): string {
    for (let k = 0; k < mostScrolls; k++) {
      const tree = this.browser.pageTree();
      const id = [...tree.elements].find(([, one]) => one === element)?.[0];
      if (id === undefined) throw new PlanError('The element is not in the page’s tree.');
      if (this.browser.observe().nodes.has(id)) return id;
      const line = (tree.boxes.get(id)?.[1] ?? 0) / lineHeight;
      this.do(line < this.browser.entry.scroll ? 'scroll [up]' : 'scroll [down]');
    }
    throw new PlanError('The element does not come onto the screen.');
  }

  step(step: PlanStep): void {
    if ('visit' in step) this.visit(step.visit);
    else if ('submit' in step) this.submit(step.submit, step.fields ?? {});
    else if ('tab' in step) this.do(`tab_focus [${step.tab}]`);
    else if ('back' in step) this.do('go_back');
    else if ('scroll' in step) this.do(`scroll [${step.scroll}]`);
    else this.actions.push(`stop [${step.stop}]`);
  }

  private visit(to: string): void {
    const { browser } = this;
    const target = resolve(to, browser.url);
    const links = controlsAndLinks(browser.page()).filter(({ localName }) => localName === 'a');
    const found = links.find((link) => sameAddress(resolve(link.getAttribute('href')!, browser.url), target));
    this.do(found ? `click [${this.idOf(found)}]` : `goto [${target}]`);
  }

  private formFor(action: string, fields: { [name: string]: string | boolean }): Element {
    const { browser } = this;
    const target = resolve(action, browser.url);
    const found = [...browser.page().querySelectorAll('form')].find(
      (form) =>
        sameAddress(resolve(form.getAttribute('action') ?? '', browser.url), target) &&
        [...form.querySelectorAll('input[type=hidden]')].every((input) => {
          const wanted = fields[input.getAttribute('name')!];
          return wanted === undefined || wanted === input.getAttribute('value');
        }),
    );
    if (!found) throw new PlanError(`The page ${browser.url} has no form for ${action}.`);
    return found;
  }

  private submit(action: string, fields: { [name: string]: string | boolean }): void {
    const form = this.formFor(action, fields);
    const inputs = [...form.querySelectorAll('input,textarea')].filter(
      (input) => (input.getAttribute('name') ?? '') in fields,
    );
    const ticks = inputs.filter((input) => isTick(input));
    const texts = inputs.filter((input) => !isTick(input) && input.getAttribute('type') !== 'hidden');
    for (const tick of ticks) this.tick(tick, fields[tick.getAttribute('name')!]);
    let sent = false;
    for (const [k, text] of texts.entries()) {
      const enter = k === texts.length - 1 && text.localName === 'input';
      this.fill(text, String(fields[text.getAttribute('name')!]), enter);
      sent = enter;
    }
    if (!sent) this.do(`click [${this.idOf(form.querySelector('button')!)}]`);
  }

  private tick(input: Element, wanted: string | boolean): void {
    const isWanted = typeof wanted === 'boolean' ? wanted : input.getAttribute('value') === wanted;
    const is = isTicked(input, this.browser.control(input));
    if (input.getAttribute('type') === 'radio' ? isWanted && !is : isWanted !== is)
      this.do(`click [${this.idOf(input)}]`);
  }

  /** Types into a field. Typing does not clear it, so its old text is deleted first. */
  private fill(input: Element, text: string, enter: boolean): void {
    if (fieldValue(input, this.browser.control(input)) !== '') {
      this.do(`click [${this.idOf(input)}]`);
      this.do('press [Control+a]');
      this.do('press [Backspace]');
    }
    this.do(`type [${this.idOf(input)}] [${text}] [${enter ? 1 : 0}]`);
  }
}

const isTick = (input: Element) => ['checkbox', 'radio'].includes(input.getAttribute('type') ?? '');

/** True if the request completed the step. */
function completes(step: PlanStep, { url, form }: SentRequest): boolean {
  if ('visit' in step) return sameAddress(url, resolve(step.visit, url));
  if (!('submit' in step)) return false;
  const sent = parseAddress(url);
  const wanted = parseAddress(resolve(step.submit, url));
  if (!sent || !wanted || sent.path !== wanted.path) return false;
  const given = { ...sent.query, ...form };
  return Object.entries(step.fields ?? {}).every(([name, value]) => given[name] === (value === true ? 'yes' : value));
}

/** Number of completed steps. The steps must be completed in order; other requests between them are ignored. */
function progress(plan: readonly PlanStep[], requests: readonly SentRequest[]): number {
  let done = 0;
  for (const request of requests) {
    const next = plan.findIndex((step, k) => k >= done && ('visit' in step || 'submit' in step));
    if (next >= 0 && completes(plan[next], request)) done = next + 1;
  }
  return done;
}

/** Tab and address of the browser before a step of the plan. */
export interface Position {
  tab: number;
  url: string;
}

/** Actions of the whole plan from a fresh browser, with the position of the browser before each step. */
export function followPlan(
  fresh: Browser,
  plan: readonly PlanStep[],
): { actions: string[]; positions: Position[]; browser: Browser } {
  const driver = new Driver(fresh.fork());
  const positions: Position[] = [];
  for (const step of plan) {
    positions.push({ tab: driver.browser.state.current, url: driver.browser.url });
    driver.step(step);
  }
  return { actions: driver.actions, positions, browser: driver.browser };
}

/** Actions of the steps that are not yet completed, after a return to the position of the next step. */
export function remainingActions(
  browser: Browser,
  plan: readonly PlanStep[],
  positions: readonly Position[],
): { actions: string[]; browser: Browser } {
  const driver = new Driver(browser.fork());
  const done = progress(plan, browser.state.requests);
  const next = positions[done];
  if (next && driver.browser.state.current !== next.tab) {
    if (next.tab >= driver.browser.state.tabs.length) throw new PlanError(`Tab ${next.tab} was closed.`);
    driver.do(`tab_focus [${next.tab}]`);
  }
  const first = plan[done];
  const needsPage = first !== undefined && ('visit' in first || 'submit' in first);
  if (needsPage && !driver.browser.url.startsWith(next.url.split('?')[0])) driver.do(`goto [${next.url}]`);
  for (const step of plan.slice(done)) driver.step(step);
  return { actions: driver.actions, browser: driver.browser };
}

/** Elements that a valid action may refer to. */
export const actable = (browser: Browser) =>
  new Set([...controlsOf(browser.page()), ...controlsAndLinks(browser.page())]);
