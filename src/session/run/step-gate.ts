/**
 * Pauses a step in the middle of its work and resumes it later. A device awaits `pass` whenever it yields to the event
 * loop, so a step of any length pauses within a fraction of a second.
 */
export class StepGate {
  private opening: Promise<void> | null = null;
  private open = () => {};
  private closedAt = 0;
  private closedMs = 0;

  /** `signal`: an aborted signal ends the work with its reason. */
  constructor(private readonly signal: () => AbortSignal) {}

  get isClosed(): boolean {
    return this.opening !== null;
  }

  /** Milliseconds of performance.now without the time in which the gate was closed. */
  now(): number {
    const closed = this.opening ? performance.now() - this.closedAt : 0;
    return performance.now() - this.closedMs - closed;
  }

  /** From now on, work stops at its next pass. */
  hold(): void {
    if (this.opening) return;
    this.closedAt = performance.now();
    this.opening = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  release(): void {
    if (!this.opening) return;
    this.closedMs += performance.now() - this.closedAt;
    this.opening = null;
    this.open();
  }

  /** Waits while the gate is closed. Rejects with the reason of the signal once it is aborted. */
  readonly pass = async (): Promise<void> => {
    const signal = this.signal();
    signal.throwIfAborted();
    if (!this.opening) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      signal.addEventListener('abort', go);
      void this.opening?.then(go);
    });
    // The gate may be closed again by now, or the work aborted.
    return this.pass();
  };
}
