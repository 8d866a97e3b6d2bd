// What a page of the crash test says, and when its life is to end.

/** A life that takes longer to its end than this is stuck. */
const LATEST_MS = 120_000;
/**
 * How a life ends: inside its `after`-th commit; some time after its `after`-th step, within about a step; or while it
 * starts, at latest with its first step; in its `after`-th refill, or while its `after`-th step learns.
 */
export type Death = { kind: 'random' | 'start' | 'commit' | 'refill' | 'updates'; after: number; ms: number };

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What the page says, and a way to wait for it. */
export class Ears {
  readonly said: string[] = [];
  private readonly waiting: { wanted: RegExp; resolve: () => void }[] = [];

  readonly hear = (event: string) => {
    this.said.push(event);
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
        `Nothing to kill within ${LATEST_MS} ms. The page said: ${this.said.slice(-8).join(' | ') || 'nothing'}`,
      );
    });
    if (kind === 'start') return Promise.race([sleep(ms), this.until(/^step /), late]);
    if (kind === 'commit') return Promise.race([this.until(/^inside-commit$/), late]);
    if (kind === 'refill' || kind === 'updates')
      return Promise.race([this.until(new RegExp(`^inside-${kind}$`)), late]);
    await Promise.race([this.until(/^step /, after), late]);
    // On a fast machine the run may be far ahead after this time: never more than four steps.
    await Promise.race([sleep(ms), this.until(/^step /, 4)]);
  }
}
