/**
 * Measures how fast the page answers while a run trains (Interaction to Next Paint, web.dev/articles/inp). If it
 * answers too slowly, the processor device gives one thread back to the page. The run's numbers do not depend on the
 * number of threads.
 */

/** Milliseconds from a key or a click to the next frame, above which an interaction counts as slow. */
const slowMs = 200;
/**
 * Number of the last interactions that are counted. One of them may be slow, for example the first opening of a list.
 */
const span = 20;
const allowed = 1;

/** Longest event of each of the last `span` interactions. */
export class Interactions {
  private longest = new Map<number, number>();

  /** Returns true if more interactions were slow than are allowed; counting then starts again. */
  add(interaction: number, ms: number): boolean {
    const before = this.longest.get(interaction) ?? 0;
    this.longest.set(interaction, Math.max(before, ms));
    if (this.longest.size > span) this.longest.delete(this.longest.keys().next().value!);
    const slow = [...this.longest.values()].filter((each) => each > slowMs).length;
    if (slow <= allowed) return false;
    this.longest = new Map();
    return true;
  }

  forget(): void {
    this.longest = new Map();
  }
}

/**
 * Calls `slow` after too many slow interactions while `counts` returns true. Does nothing where the browser does not
 * time events (before Safari 26.2).
 */
export function watchInteractions(counts: () => boolean, slow: () => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes('event')) return;
  const interactions = new Interactions();
  const observer = new PerformanceObserver((list) => {
    if (!counts()) return interactions.forget();
    const timings = list.getEntries() as (PerformanceEntry & { interactionId?: number })[];
    const interacted = timings.filter(({ interactionId }) => interactionId);
    const tooSlow = interacted.map(({ interactionId, duration }) => interactions.add(interactionId!, duration));
    if (tooSlow.includes(true)) slow();
  });
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}
