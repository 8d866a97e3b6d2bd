/**
 * Requests to a judge: a model that scores an episode by a rubric. Equal requests are sent once, the number of requests
 * of a run is bounded, and requests are counted.
 */
import { workAll } from '../common/work-all.ts';

/** One request to a judge behind an OpenAI-compatible server. */
export interface JudgeRequest {
  address: string;
  model: string;
  content: string;
  maxTokens: number;
}

/** Requests one reply; `session/` has the client. */
export type AskJudge = (request: JudgeRequest, signal?: AbortSignal) => Promise<string>;

/** The run has used up its requests to a judge. */
export class JudgeBoundError extends Error {
  override name = 'JudgeBoundError';
}

/** Requests at once. */
const atOnce = 4;

/** Characters at a reply's end that are kept: the score is there. A server may send megabytes. */
const mostKept = 10_000;

/** The end of a reply. A slice of a longer text would keep all of it in memory, so the end is copied. */
const endOf = (reply: string) =>
  reply.length <= mostKept ? reply : new TextDecoder().decode(new TextEncoder().encode(reply.slice(-mostKept)));

export class CountedJudge {
  /** Replies by address, model and text. */
  private readonly replies = new Map<string, string>();
  /** Requests of the step. */
  requests = 0;
  /** Replies that were known already. */
  known = 0;
  /** Replies without a readable score. */
  unread = 0;

  constructor(
    private readonly ask: AskJudge,
    /** Requests of the run before. */
    private readonly before: () => number = () => 0,
  ) {}

  /** Begins the counts of a step. */
  begin(): void {
    this.requests = 0;
    this.known = 0;
    this.unread = 0;
  }

  /** Replies to all requests, in their order. `most`: requests of the whole run. */
  async all(requests: readonly JudgeRequest[], most: number, signal?: AbortSignal): Promise<string[]> {
    const keys = requests.map(({ address, model, content }) => JSON.stringify([address, model, content]));
    const missing = [...new Set(keys)].filter((key) => !this.replies.has(key));
    this.known += requests.length - missing.length;
    await workAll(missing, atOnce, async (key) => {
      signal?.throwIfAborted();
      this.count(most);
      this.replies.set(key, endOf(await this.ask(requests[keys.indexOf(key)], signal)));
    });
    return keys.map((key) => this.replies.get(key)!);
  }

  private count(most: number): void {
    const used = this.before() + this.requests;
    if (used >= most)
      throw new JudgeBoundError(
        `The judge has been asked ${used} times, and the run may ask it ${most} times. Raise the most requests of the judge, or remove it, and continue.`,
      );
    this.requests += 1;
  }
}
