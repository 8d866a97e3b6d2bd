/** Results of requests that are answered later, by the request's id, which a repeated request has again. */
import { RefusedError } from './trained-model.ts';

/** The answer to a request: JSON, or a protocol buffer. */
export type Result = { json: unknown } | { bytes: Uint8Array };

/** Maximum number of finished results that are kept: a client may ask for one again after a lost connection. */
const mostFinished = 2048;
/** Time that an answer waits for a result before the client has to ask again. */
const waitMs = 20_000;

const failed = (error: unknown, report: (error: unknown) => void): Result => {
  if (error instanceof RefusedError) return { json: { error: error.message, category: 'user' } };
  report(error);
  return { json: { error: 'The server failed on this request: see its log.', category: 'server' } };
};

export class Futures {
  private readonly results = new Map<string, Promise<Result>>();
  private readonly finished: string[] = [];

  constructor(
    private readonly report: (error: unknown) => void,
    private readonly patienceMs = waitMs,
  ) {}

  /** Starts a request unless it has been started. Returns its id. */
  start(id: string, work: () => Promise<Result>): string {
    if (this.results.has(id)) return id;
    const result = work()
      .catch((error) => failed(error, this.report))
      .finally(() => {
        this.finished.push(id);
        if (this.finished.length > mostFinished) this.results.delete(this.finished.shift()!);
      });
    this.results.set(id, result);
    return id;
  }

  /** The result; null: it is not ready. Throws a RefusedError for an id that is not known, or no longer. */
  async wait(id: string): Promise<Result | null> {
    const result = this.results.get(id);
    if (!result) throw new RefusedError(`There is no result of request ${id}: at most ${mostFinished} are kept.`, 410);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.patienceMs);
    });
    return Promise.race([result, late]).finally(() => clearTimeout(timer));
  }
}
