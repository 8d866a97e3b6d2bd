// Events of a page of the crash test, and the moment at which to kill it.

/** A life that has not reached its end after this time is stuck. */
const LATEST_MS = 120_000;
/**
 * The point at which a life ends:
 * `commit`: inside its `after`-th commit;
 * `random`: `ms` after its `after`-th step, within about a step;
 * `start`: `ms` after its start, at the latest with its first step;
 * `refill`, `updates`: in its `after`-th refill, or while its `after`-th step learns.
 */
export type Death = { kind: 'random' | 'start' | 'commit' | 'refill' | 'updates'; after: number; ms: number };

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Records the page's events and waits for chosen ones. */
export class PageEvents {
  readonly received: string[] = [];
  private readonly waiting: { wanted: RegExp; resolve: () => void }[] = [];

  readonly receive = (event: string) => {
    this.received.push(event);
    if (/^(error|console|notice)/.test(event)) console.log(`    page: ${event}`);
    for (const { wanted, resolve } of this.waiting) if (wanted.test(event)) resolve();
  };

  /** Resolves at the `nth` event of this kind. */
  until(wanted: RegExp, nth = 1): Promise<void> {
    return new Promise((resolve) => {
      let left = nth;
      this.waiting.push({ wanted, resolve: () => --left === 0 && resolve() });
    });
  }

  /** Resolves when the life is to end. */
  async dying({ kind, after, ms }: Death): Promise<void> {
    const late = sleep(LATEST_MS).then(() => {
      throw new Error(
        `Nothing to kill within ${LATEST_MS} ms. The page said: ${this.received.slice(-8).join(' | ') || 'nothing'}`,
      );
    });
    if (kind === 'start') return Promise.race([sleep(ms), this.until(/^step /), late]);
    if (kind === 'commit') return Promise.race([this.until(/^inside-commit$/), late]);
    if (kind === 'refill' || kind === 'updates')
      return Promise.race([this.until(new RegExp(`^inside-${kind}$`)), late]);
    await Promise.race([this.until(/^step /, after), late]);
    // A fast machine may be far ahead after this time, so the wait ends after four steps at the latest.
    await Promise.race([sleep(ms), this.until(/^step /, 4)]);
  }
}
