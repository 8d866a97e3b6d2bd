/**
 * Turns of the clients at a policy, which answers one request at a time: a client with hundreds of requests delays the
 * others by one request each, not by all. Clients are told apart by a path of keys, from those that are hard to change
 * to those that are easy: each level takes turns in itself.
 */

/** Maximum number of requests waiting for a policy. */
const mostWaiting = 256;

/** Too many requests wait, and no client has more of them than the refused one. */
export class QueueFull extends Error {
  override name = 'QueueFull';
  override message = `${mostWaiting} requests are waiting for this policy, which is the limit: try again later.`;
}

interface Waiting {
  path: readonly unknown[];
  start(): void;
  refuse(why: unknown): void;
}

/** Waiting requests of a client, by the next key of their paths. */
class Group {
  private readonly members = new Map<unknown, Group>();
  private readonly requests: Waiting[] = [];
  size = 0;

  add(request: Waiting, depth = 0): void {
    this.size++;
    const { path } = request;
    if (depth === path.length) {
      this.requests.push(request);
      return;
    }
    const member = this.members.get(path[depth]) ?? new Group();
    this.members.set(path[depth], member);
    member.add(request, depth + 1);
  }

  /** Takes the first request of the member whose turn it is. Its next turn comes after those of the others. */
  next(): Waiting | undefined {
    const [first] = this.members;
    if (!first) return this.requests.length ? this.remove(this.requests[0]) : undefined;
    const [key, member] = first;
    const request = member.next();
    this.size--;
    this.members.delete(key);
    if (member.size) this.members.set(key, member);
    return request;
  }

  /** The last request of the member with the most; of several such members, the one of the path. */
  last(path: readonly unknown[], depth = 0): Waiting {
    let most = this.members.get(path[depth]);
    for (const member of this.members.values()) if (!most || member.size > most.size) most = member;
    return most ? most.last(path, depth + 1) : this.requests.at(-1)!;
  }

  remove(request: Waiting, depth = 0): Waiting {
    this.size--;
    const key = request.path[depth];
    const member = depth < request.path.length ? this.members.get(key)! : null;
    if (!member) this.requests.splice(this.requests.indexOf(request), 1);
    else if (member.remove(request, depth + 1) && member.size === 0) this.members.delete(key);
    return request;
  }
}

export class Turns {
  private readonly waiting = new Group();
  private busy = false;

  /** Runs a call in its turn. Rejects if the signal aborts before, or with `QueueFull`. */
  async during<T>(path: readonly unknown[], signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    if (this.busy) await this.turn(path, signal);
    this.busy = true;
    try {
      return await call();
    } finally {
      const next = this.waiting.next();
      if (next) next.start();
      else this.busy = false;
    }
  }

  private turn(path: readonly unknown[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.remove(request);
        reject(signal.reason);
      };
      const ended = (end: () => void) => {
        signal.removeEventListener('abort', leave);
        end();
      };
      const request: Waiting = {
        path,
        start: () => ended(resolve),
        refuse: (why) => ended(() => reject(why)),
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', leave);
      this.waiting.add(request);
      if (this.waiting.size > mostWaiting) this.waiting.remove(this.waiting.last(path)).refuse(new QueueFull());
    });
  }
}
