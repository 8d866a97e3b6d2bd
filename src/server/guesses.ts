/**
 * Delays for wrong tokens. Each wrong token of an address delays its next refusal, up to some seconds; beyond a queue
 * of half a minute the address is refused without a look at its token. An address of another machine waits with the
 * right token too: quick answers would tell a guesser which token is right. Programs of this machine share one address,
 * so there the right token never waits.
 */

/** Wrong tokens of an address that are answered at once: mistakes of a person. */
const freeGuesses = 10;
const firstDelayMs = 50;
const longestDelayMs = 5000;
/** Longest queue of an address. */
const longestWaitMs = 30_000;
/** Time without a wrong token after which an address is forgotten. */
const forgetMs = 600_000;
/** Maximum number of addresses that are remembered; the oldest is forgotten first. */
const mostAddresses = 10_000;

/** An address sent so many wrong tokens that its requests are no longer read. */
export class TooManyGuesses extends Error {
  override name = 'TooManyGuesses';
  constructor(readonly seconds: number) {
    super(`Too many wrong tokens came from this address: try again in ${seconds} seconds.`);
  }
}

const isLoopback = (address: string) => /^(?:::ffff:)?127\.|^::1$/.test(address);

export class Guesses {
  private readonly wrong = new Map<string, { count: number; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  /**
   * Returns the time to wait before a request is answered, in milliseconds, and counts it if its token is wrong. Throws
   * `TooManyGuesses` if the address must not be answered.
   */
  wait(address: string, right: boolean): number {
    const now = this.now();
    const known = this.wrong.get(address);
    if (right && (!known || isLoopback(address))) return 0;
    const { count, until } = known && now - known.until < forgetMs ? known : { count: 0, until: now };
    const waited = Math.max(until - now, 0);
    if (waited > longestWaitMs) throw new TooManyGuesses(Math.ceil(waited / 1000));
    this.wrong.delete(address);
    if (right) return waited;
    const delay = count < freeGuesses ? 0 : Math.min(firstDelayMs * 2 ** (count - freeGuesses), longestDelayMs);
    this.wrong.set(address, { count: count + 1, until: now + waited + delay });
    if (this.wrong.size > mostAddresses) this.wrong.delete(this.wrong.keys().next().value!);
    return waited + delay;
  }
}
