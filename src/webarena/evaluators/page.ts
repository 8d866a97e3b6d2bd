/** What the judges ask of a browser's page, and what they are told of the task. A recorded page, a page of our own and a real one meet it. */
import type { Value } from '../python.ts';
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
  /** Opens an address and waits until the page is quiet. */
  goto(url: string): Promise<void>;
  /** The page as HTML. */
  content(): Promise<string>;
  /** What a script of the page gives. */
  evaluate(script: string): Promise<Value>;
  http(request: HttpRequest): Promise<{ status: number; body: Value }>;
}

export interface EvaluationContext {
  page: JudgedPage;
  judge: Judge;
  /** Where the sites are served, by their names in tasks (`SHOPPING`). */
  sites: { [name: string]: string };
  /** The account that the shop's own interface takes. */
  shopAdmin: { username: string; password: string };
}

/** A target of program_html that is not understood. */
export class HtmlMatchError extends Error {
  override name = 'HtmlMatchError';
}
