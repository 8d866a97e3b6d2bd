/**
 * Parts that the episodes of a world share and that are costly to open, such as universes and shops. A part is opened
 * once and stays open up to a total size, the least recently used first to go. No part is closed while an episode has
 * it.
 */
interface Entry<Part> {
  part: Promise<Part>;
  size: number;
  /** Number of episodes that have it, or wait for it. */
  users: number;
  /** True if it made room for others: it closes with its last user. */
  retired: boolean;
}

export class SharedParts<Part extends object> {
  /** Least recently used first. */
  private readonly kept = new Map<string, Entry<Part>>();
  private readonly entries = new Map<Part, Entry<Part>>();

  constructor(
    /** Total size that stays open, in the unit of the parts' sizes. A larger part is open alone. */
    private readonly most: number,
    private readonly closePart: (part: Part) => unknown,
  ) {}

  /** The part of a key, opened if it is not. Every borrowed part is given back once. */
  async borrow(key: string, size: number, open: () => Promise<Part>): Promise<Part> {
    const entry = this.kept.get(key) ?? { part: open(), size, users: 0, retired: false };
    entry.users++;
    this.kept.delete(key);
    this.kept.set(key, entry);
    this.makeRoom();
    try {
      const part = await entry.part;
      this.entries.set(part, entry);
      return part;
    } catch (error) {
      // A failure is not kept, so that a later try may succeed.
      if (this.kept.get(key) === entry) this.kept.delete(key);
      throw error;
    }
  }

  giveBack(part: Part): void {
    const entry = this.entries.get(part);
    if (!entry?.users) throw new Error('The part was not borrowed: call borrow before giveBack.');
    entry.users--;
    if (entry.retired && !entry.users) this.close(part);
  }

  /**
   * Begins an episode for each of `all` in these slots, which give back the parts of the episodes before. If one cannot
   * begin, the slots keep what they have. `begin` borrows its episode's part.
   */
  async replace<Given, Episode>(
    episodes: Map<number, Episode>,
    slots: readonly number[],
    all: readonly Given[],
    { begin, partOf }: { begin(given: Given): Promise<Episode>; partOf(episode: Episode): Part },
  ): Promise<Episode[]> {
    const begun = await beginAll(all, begin, (episode) => this.giveBack(partOf(episode)));
    for (const [k, slot] of slots.entries()) {
      const before = episodes.get(slot);
      if (before) this.giveBack(partOf(before));
      episodes.set(slot, begun[k]);
    }
    return begun;
  }

  private makeRoom(): void {
    let total = [...this.kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, entry] of this.kept) {
      if (total <= this.most || this.kept.size === 1) return;
      this.kept.delete(key);
      total -= entry.size;
      entry.retired = true;
      // A failure to open reaches those who borrow it.
      if (!entry.users) entry.part.then((part) => this.close(part)).catch(() => {});
    }
  }

  private close(part: Part): unknown {
    this.entries.delete(part);
    return this.closePart(part);
  }

  /** Closes all parts, also those that episodes have. */
  async closeAll(): Promise<void> {
    const opened = await Promise.allSettled([...this.kept.values()].map(({ part }) => part));
    this.kept.clear();
    const all = new Set([
      ...this.entries.keys(),
      ...opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    ]);
    for (const part of all) await this.close(part);
  }
}

/** Begins the episodes of a batch, one after another. If one fails, those that have begun are given up. */
export async function beginAll<Given, Begun>(
  all: readonly Given[],
  begin: (given: Given) => Promise<Begun>,
  giveUp: (begun: Begun) => void,
): Promise<Begun[]> {
  const begun: Begun[] = [];
  try {
    for (const each of all) begun.push(await begin(each));
  } catch (error) {
    for (const each of begun) giveUp(each);
    throw error;
  }
  return begun;
}
