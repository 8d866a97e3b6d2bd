/**
 * Lets WebArena's judges read a page of our browser. They work on a copy, so that the agent does not see the pages they
 * open. A task's scripts are not run; a small grammar covers `document.querySelector('...').outerText` and similar
 * ones.
 */

import type { Value } from '../../../python/values.ts';
import {
  type EvaluationContext,
  HtmlMatchError,
  type HttpRequest,
  type JudgedPage,
} from '../../../webarena/evaluators/page.ts';
import { JudgeError } from '../../../webarena/evaluators/strings.ts';
import { controlsOf, fieldValue, isTicked } from './accessibility.ts';
import { pageDocument } from './page-document.ts';
import type { Browser } from './session.ts';

const script =
  /^\(\) => document\.(?:querySelector\((['"])(.*)\1\)\.(outerText|innerText|textContent|value|checked)|(title)|(URL))$/s;
const block = new Set(
  'p li ul ol dl dt dd h1 h2 h3 table tr caption form fieldset legend article main nav div'.split(' '),
);

/** Visible text of an element, with each block on a line of its own. */
function textOf(element: Element): string {
  let text = '';
  const walk = (node: ChildNode | Element): void => {
    if (node.nodeType === 3) text += (node as Text).data.replace(/[ \t\n\r\f]+/g, ' ');
    if (node.nodeType !== 1) return;
    const isBlock = block.has((node as Element).localName);
    if (isBlock && text && !text.endsWith('\n')) text += '\n';
    for (const child of [...node.childNodes]) walk(child);
    if (isBlock && text && !text.endsWith('\n')) text += '\n';
  };
  walk(element);
  return text.trim();
}

class BrowserPage implements JudgedPage {
  private readonly browser: Browser;

  constructor(browser: Browser) {
    this.browser = browser.fork();
  }

  url = () => this.browser.url;

  async goto(url: string): Promise<void> {
    this.browser.visit({ method: 'GET', url, form: {} });
  }

  async content(): Promise<string> {
    const { title, html } = this.browser.entry;
    return pageDocument(title, html);
  }

  async evaluate(source: string): Promise<Value> {
    const found = script.exec(source);
    if (!found) throw new HtmlMatchError(`This script is not among those that can be judged here: ${source}`);
    const [, , selector, property, title] = found;
    if (property === undefined) return title ? this.browser.entry.title : this.browser.url;
    const element = this.browser.page().querySelector(selector);
    if (!element) throw new HtmlMatchError(`The page has no ${selector}.`);
    const control = this.browser.entry.controls[controlsOf(this.browser.page()).indexOf(element)];
    if (property === 'value') return fieldValue(element, control);
    if (property === 'checked') return isTicked(element, control);
    return property === 'textContent' ? element.textContent : textOf(element);
  }

  http(_request: HttpRequest): never {
    throw new HtmlMatchError('The sites of this internet have no interface but their pages.');
  }
}

async function noJudge(): Promise<never> {
  throw new JudgeError('No judge of meaning is available: this task is judged by words alone.');
}

/** Context of the judges for a browser. `sites` and `shopAdmin` are needed only for WebArena's own tasks. */
export function judgedBrowser(browser: Browser): EvaluationContext {
  return { page: new BrowserPage(browser), judge: noJudge, sites: {}, shopAdmin: { username: '', password: '' } };
}
