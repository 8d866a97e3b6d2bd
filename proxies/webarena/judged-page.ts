/**
 * A Chromium page as WebArena's evaluators use it. Their requests to the sites' own interfaces may reach only
 * configured sites.
 */
import type { Page } from 'playwright-core';
import type { Value } from '../../src/python/values.ts';
import type { HttpRequest, JudgedPage } from '../../src/webarena/evaluators/page.ts';
import { HtmlMatchError } from '../../src/webarena/evaluators/page.ts';
import type { GuardedContext } from './guarded-context.ts';
import { checkAddress } from './page-actions.ts';

const httpMs = 30_000;
const mostBytes = 8 << 20;

async function readJson(response: Response): Promise<Value> {
  const text = await response.text();
  if (text.length > mostBytes) throw new HtmlMatchError('The site answered with more than 8 MB.');
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

export class ChromiumJudgedPage implements JudgedPage {
  constructor(
    private readonly guarded: GuardedContext,
    private readonly page: Page,
    private readonly settle: (page: Page) => Promise<void>,
  ) {}

  url = () => this.page.url();

  async goto(url: string): Promise<void> {
    checkAddress(url, this.guarded.hosts);
    const { loadSeconds } = this.guarded.limits;
    await this.guarded.during('be opened', () => this.page.goto(url, { timeout: loadSeconds * 1000 }));
    await this.settle(this.page);
  }

  content(): Promise<string> {
    return this.guarded.documentOf(this.page);
  }

  /** A script that is a function is called, as the original's driver does. */
  evaluate(script: string): Promise<Value> {
    const called = script.startsWith('() =>') ? `(${script})()` : script;
    return this.guarded.during('be evaluated', () => this.page.evaluate(called) as Promise<Value>);
  }

  async http({ method, url, params, headers, body }: HttpRequest): Promise<{ status: number; body: Value }> {
    const address = params ? `${url}?${new URLSearchParams(params)}` : url;
    checkAddress(address, this.guarded.hosts);
    const signal = AbortSignal.timeout(httpMs);
    const response = await fetch(address, { method, headers, body, redirect: 'error', signal });
    return { status: response.status, body: await readJson(response) };
  }
}
