/**
 * Ensures that one session owns a run, by two means: a lock that the browser frees when a tab dies (Web Locks), and a
 * token in the run's manifest that every commit checks inside its transaction. A former owner therefore cannot write,
 * even before it is notified.
 */
export interface Hold {
  release(): void;
}

export interface Locks {
  /** Resolves to null if another session owns the run. `onLost` is called when another session takes it over. */
  acquire(runId: string, onLost: () => void): Promise<Hold | null>;
  steal(runId: string, onLost: () => void): Promise<Hold>;
}

const lockName = (runId: string) => `tabgym-run-${runId}`;

/** Web Locks, held until released, stolen, or the tab ends. */
export class WebLocks implements Locks {
  constructor(private readonly locks: LockManager) {}

  acquire(runId: string, onLost: () => void): Promise<Hold | null> {
    return this.request(runId, { ifAvailable: true }, onLost);
  }

  async steal(runId: string, onLost: () => void): Promise<Hold> {
    return (await this.request(runId, { steal: true }, onLost))!;
  }

  private request(runId: string, options: LockOptions, onLost: () => void): Promise<Hold | null> {
    return new Promise((resolve, reject) => {
      let released = false;
      const held = this.locks.request(lockName(runId), options, (lock) => {
        if (!lock) return resolve(null);
        return new Promise<void>((done) => {
          const release = () => {
            released = true;
            done();
          };
          resolve({ release });
        });
      });
      // A stolen lock rejects its request with AbortError.
      held.catch((error) => {
        if (released) return;
        const { name } = error as DOMException;
        // Where locks are denied, so is storage: no other session has the run.
        if (name === 'SecurityError') return resolve({ release() {} });
        if (name === 'AbortError') onLost();
        reject(error);
      });
    });
  }
}

/** Used without Web Locks: only the token in the manifest decides, and the last session to claim the run owns it. */
export const noLocks: Locks = {
  acquire: async () => ({ release() {} }),
  steal: async () => ({ release() {} }),
};

/** Thrown when another tab owns the run: it can be read but not changed. */
export class ReadOnlyError extends Error {
  override name = 'ReadOnlyError';
  constructor() {
    super('Another tab has this run. Take it over to train or change it here.');
  }
}
