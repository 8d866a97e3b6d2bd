/**
 * How fast the page answers while a run trains (Interaction to Next Paint, web.dev/articles/inp), and a thread of the processor given
 * back where that is not fast enough: what trains must not be felt. The run's numbers do not depend on how many threads there are.
 */

/** Milliseconds from a key or a click to the next picture: above it an answer is felt as slow. */
export const slowMs = 200;
/** Of so many last interactions one may be slow: a list that is opened for the first time, say. */
const span = 20;
const allowed = 1;

/** The longest event of each interaction, the last `span` of them. */
export class Interactions {
  private longest = new Map<number, number>();

  /** True: more were slow than are allowed. Then counting begins anew. */
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

/** Watches while `counts` says so; where the browser does not time events (before Safari 26.2), never. */
export function watchInteractions(counts: () => boolean, slow: () => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes('event')) return;
  const interactions = new Interactions();
  const observer = new PerformanceObserver((list) => {
    if (!counts()) return interactions.forget();
    const timings = list.getEntries() as (PerformanceEntry & { interactionId?: number })[];
    const heard = timings.filter(({ interactionId }) => interactionId);
    const said = heard.map(({ interactionId, duration }) => interactions.add(interactionId!, duration));
    if (said.includes(true)) slow();
  });
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}
