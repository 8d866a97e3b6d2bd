/**
 * Gathers the worker's events and delivers them at most ten times a second, and none while the page is hidden, so that
 * drawing does not slow down training. An event is dropped if a later one replaces it. In a hidden tab, only the events
 * of steps therefore accumulate without a bound. Uses no DOM; its host provides time, visibility and the receiver.
 */
import type { SessionEvent } from '../../session/protocol.ts';

export interface GathererHost {
  hidden(): boolean;
  later(callback: () => void, ms: number): unknown;
  deliver(events: SessionEvent[]): void;
}

const intervalMs = 100;
const mostLive = 64;
const compactAbove = 512;

/** Key shared by events of which only the last one matters; null if all of them matter. */
const replaces = (event: SessionEvent): string | null => {
  if (event.type === 'evaluation' || event.type === 'status' || event.type === 'progress' || event.type === 'owner')
    return `${event.type} ${event.runId}`;
  if (event.type === 'sweep') return `sweep ${event.sweepId}`;
  return event.type === 'runs' || event.type === 'model' || event.type === 'talk' ? event.type : null;
};

/** Drops events that a later one replaces, and all but the last turns of the live episode. */
export function withoutReplaced(events: readonly SessionEvent[]): SessionEvent[] {
  const seen = new Set<string>();
  let live = 0;
  return [...events]
    .reverse()
    .filter((event) => {
      if (event.type === 'live') return ++live <= mostLive;
      const key = replaces(event);
      if (key === null) return true;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .reverse();
}

export class Gatherer {
  private events: SessionEvent[] = [];
  private scheduled = false;

  constructor(private readonly host: GathererHost) {}

  add(event: SessionEvent) {
    this.events.push(event);
    if (this.events.length > compactAbove) this.events = withoutReplaced(this.events);
    this.schedule();
  }

  /** Call it when the page becomes visible again. */
  wake() {
    this.schedule();
  }

  private schedule() {
    if (this.scheduled || this.host.hidden() || !this.events.length) return;
    this.scheduled = true;
    this.host.later(() => this.flush(), intervalMs);
  }

  private flush() {
    this.scheduled = false;
    if (this.host.hidden()) return;
    const events = withoutReplaced(this.events);
    this.events = [];
    this.host.deliver(events);
  }
}
