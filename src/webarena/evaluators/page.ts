/**
 * The interface through which evaluators read a browser's page, and the context of the task. Implemented by recorded
 * pages, by the pages of our own sites and by a real browser.
 */
import type { Value } from '../../python/values.ts';
import type { Judge } from './strings.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  params?: { [key: string]: string };
  headers: { [name: string]: string };
  body?: string;
}

export interface JudgedPage {
  url(): string;
  /** Opens an address and waits until the page has settled. */
  goto(url: string): Promise<void>;
  /** HTML of the page. */
  content(): Promise<string>;
  /** Runs a script in the page and returns its value. */
  evaluate(script: string): Promise<Value>;
  http(request: HttpRequest): Promise<{ status: number; body: Value }>;
}

export interface EvaluationContext {
  page: JudgedPage;
  judge: Judge;
  /** Addresses of the sites by their names in tasks (`SHOPPING`). */
  sites: { [name: string]: string };
  /** Account for the shop's REST interface. */
  shopAdmin: { username: string; password: string };
}

/** An invalid or unsupported target of program_html. */
export class HtmlMatchError extends Error {
  override name = 'HtmlMatchError';
}
