/** Replays recorded judgements on recorded pages, and compares the score and every call that the judges made. */
import { evaluate } from '../../src/webarena/evaluators/evaluate.ts';
import type { EvaluationContext, HttpRequest } from '../../src/webarena/evaluators/page.ts';
import type { Outcome, Recorded } from './web-records.ts';

/** A page that answers from a record and lists the calls it receives. */
class RecordedPage {
  readonly calls: unknown[] = [];
  private address: string;
  private readonly llm: string[];
  private readonly replies: [number, unknown][];

  constructor(private readonly record: Recorded) {
    this.address = record.page.url;
    this.llm = [...(record.llm_replies ?? [])];
    this.replies = [...(record.http_replies ?? [])];
  }

  url = () => this.address;

  async goto(url: string) {
    this.calls.push(['goto', url], ['sleep', 3]);
    this.address = this.record.page.redirects?.[url] ?? url;
  }

  private page() {
    const page = this.record.page.pages[this.address];
    if (!page) throw new Error(`no page ${this.address}`);
    return page;
  }

  async content() {
    this.calls.push(['content']);
    return this.record.page.pages[this.address]?.content ?? '';
  }

  async evaluate(script: string) {
    this.calls.push(['evaluate', script]);
    const answer = this.page().evaluate?.[script];
    if (!answer || 'throws' in answer) throw new Error(`no answer to ${script}`);
    return answer.value;
  }

  async http({ method, url, params, headers, body }: HttpRequest) {
    this.calls.push(
      method === 'POST' ? ['http', method, url, headers, body] : ['http', method, url, params ?? null, headers],
    );
    const [status, reply] = this.replies.shift() ?? [404, null];
    return { status, body: reply as never };
  }

  judge = async (message: string) => {
    const messages = [
      { role: 'system', content: 'You are a helpful assistant' },
      { role: 'user', content: message },
    ];
    const request = {
      model: 'gpt-4-1106-preview',
      temperature: 0,
      max_tokens: 768,
      top_p: 1,
      context_length: 0,
      messages,
    };
    this.calls.push(['llm', request]);
    return this.llm.shift() ?? '';
  };
}

function asideOf(record: Recorded): string | undefined {
  if (record.cat === 'must_include-single') return 'a single character, where punkt splits sentences otherwise';
  const isHelper = record.cat === 'func-reddit_get_post_url';
  if (isHelper && record.page.url.includes("'")) return 'the original stops at an apostrophe in the address';
  return undefined;
}

export async function replayEvaluation(record: Recorded, header: Recorded): Promise<Outcome> {
  const page = new RecordedPage(record);
  const context: EvaluationContext = {
    page,
    judge: page.judge,
    sites: header.sites,
    shopAdmin: { username: '<username>', password: '<password>' },
  };
  const judged = { intent: record.config.intent, evaluation: record.config.eval, answer: record.answer };
  const score = await evaluate(judged, context).catch(() => 'error');
  const expected = record.score ?? 'error';
  return {
    where: `${record.cat} ${record.n}: ${JSON.stringify(record.config.eval.reference_answers)} in ${JSON.stringify(record.answer)}`,
    aside: asideOf(record),
    pairs: [
      ['score', expected, score],
      ['calls', record.calls, page.calls],
      ['final address', record.final_url, page.url()],
    ],
  };
}
