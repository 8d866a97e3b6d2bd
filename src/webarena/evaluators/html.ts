/**
 * WebArena's judge of pages (HTMLContentEvaluator). For every target it opens an address, reads a part of the page, and
 * compares the text with the required contents. All targets are checked, even after one has failed.
 */
import { strip } from '../../python/text.ts';
import { str } from '../../python/values.ts';
import { unescapeHtml } from './entities.ts';
import { callHelper } from './helpers.ts';
import { type EvaluationContext, HtmlMatchError, type JudgedPage } from './page.ts';
import { exactMatch, mustInclude } from './strings.ts';

export interface HtmlTarget {
  /** Address to open. `last` keeps the current page; `func:` calls a helper that returns the address. */
  url: string;
  /**
   * Part of the page to read: empty for the whole page, a script (`document.` or `[...document.`), or a helper
   * (`func:`).
   */
  locator: string;
  required_contents: { exact_match?: string; must_include?: readonly string[] };
  /** Scripts to run before reading; their errors are ignored. */
  prep_actions?: readonly string[];
}

const afterFunc = (text: string) => text.split('func:')[1] ?? '';
const isScript = (locator: string) => locator.startsWith('document.') || locator.startsWith('[...document.');

async function openTarget({ url }: HtmlTarget, context: EvaluationContext): Promise<void> {
  const address = url.startsWith('func') ? await callHelper(afterFunc(url), context) : url;
  if (address !== 'last') await context.page.goto(address);
}

async function prepare(page: JudgedPage, scripts: readonly string[]): Promise<void> {
  try {
    for (const script of scripts) await page.evaluate(`() => ${script}`);
  } catch {
    // A page on which preparation fails is judged as it is, as with the original.
  }
}

async function readScript({ locator, prep_actions = [] }: HtmlTarget, page: JudgedPage): Promise<string> {
  await prepare(page, prep_actions);
  try {
    return str(await page.evaluate(`() => ${locator}`));
  } catch {
    return '';
  }
}

async function readTarget(target: HtmlTarget, context: EvaluationContext): Promise<string> {
  const { locator } = target;
  if (strip(locator) === '') return context.page.content();
  if (isScript(locator)) return readScript(target, context.page);
  if (locator.startsWith('func:')) return callHelper(afterFunc(locator), context);
  throw new HtmlMatchError(`Unknown locator: ${locator}`);
}

function holds({ exact_match, must_include }: HtmlTarget['required_contents'], text: string): boolean {
  if (exact_match !== undefined) return exactMatch(exact_match, text);
  if (!Array.isArray(must_include))
    throw new HtmlMatchError('required_contents needs exact_match or a list must_include.');
  return must_include.map((entry: unknown) => includesAny(entry, text)).every(Boolean);
}

function includesAny(entry: unknown, text: string): boolean {
  if (typeof entry !== 'string')
    throw new HtmlMatchError(`Every entry of must_include must be a string (it is ${JSON.stringify(entry)}).`);
  return entry.split(' |OR| ').some((part) => mustInclude(part, text, false));
}

export async function matchesHtml(targets: readonly HtmlTarget[], context: EvaluationContext): Promise<boolean> {
  let all = true;
  for (const target of targets) {
    await openTarget(target, context);
    const text = unescapeHtml(await readTarget(target, context));
    if (!holds(target.required_contents, text)) all = false;
  }
  return all;
}
