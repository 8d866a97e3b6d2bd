/** Accessibility of a page as axe sees it (https://github.com/dequelabs/axe-core). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Options of axe: the rules of WCAG 2.2 AA, without axe's best practices. */
export const wcagOnly = { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } };

/** Options of axe: contrast alone, for a second look in the other colours. */
export const contrastOnly = { runOnly: { type: 'rule', values: ['color-contrast'] } };

interface Axe {
  run(
    root: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/**
 * Objections of axe to the page, one line for each element, with axe's advice. `options`: axe's own; without them it
 * applies all rules, best practices included.
 */
export async function axeFindings(page: Page, options: object = {}): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: Axe }).axe.run(document, given),
    { resultTypes: ['violations'], ...options },
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
