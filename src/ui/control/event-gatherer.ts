/**
 * Gathers the worker's events and hands them on at most ten times a second, and not at all while the page is hidden: drawing
 * is apart from training. What a later event replaces is dropped, so that a hidden tab gathers a bounded amount beside
 * the steps themselves. Knows no DOM: time, visibility and the receiver are given.
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

/** Events of which only the last one counts, by what they are about. */
const replaces = (event: SessionEvent): string | null => {
  if (event.type === 'evaluation' || event.type === 'status' || event.type === 'progress' || event.type === 'owner')
    return `${event.type} ${event.runId}`;
  if (event.type === 'sweep') return `sweep ${event.sweepId}`;
  return event.type === 'runs' || event.type === 'model' ? event.type : null;
};

/** Drops what a later event of the list replaces, and all but the last turns of the live episode. */
export function compact(events: readonly SessionEvent[]): SessionEvent[] {
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
    if (this.events.length > compactAbove) this.events = compact(this.events);
    this.schedule();
  }

  /** To be called when the page becomes visible again. */
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
    const events = compact(this.events);
    this.events = [];
    this.host.deliver(events);
  }
}
