/** Board of a class: who joined, and the state of each run. Held in memory only. */
import type { ClassReport } from './messages.ts';

const mostMembers = 60;
/** Silence after which a member counts as away. A browser wakes a hidden tab once a minute. */
const awayMs = 90_000;
/** A run is flat if its last episodes are no better than its first: by these numbers of points and this difference. */
const flatPoints = 20;
const flatGain = 0.05;
const good = 0.9;

export class ClassFull extends Error {
  override name = 'ClassFull';
  override message = `This class has ${mostMembers} members: the teacher must remove one first.`;
}

/** The secret belongs to no member: removed by the teacher, or the server was started anew. */
export class NotInClass extends Error {
  override name = 'NotInClass';
  override message = 'You are not in this class any more: join it again with its code.';
}

/** Reason why a run needs help. `flat`: its success does not rise. */
export type Stuck = 'failed' | 'flat';

export interface BoardMember {
  id: number;
  name: string;
  away: boolean;
  stuck: Stuck | null;
  report: ClassReport | null;
}

interface Member {
  id: number;
  name: string;
  secret: string;
  seenAt: number;
  left: boolean;
  report: ClassReport | null;
}

const meanOf = (points: readonly (readonly [number, number])[]) =>
  points.reduce((sum, [, value]) => sum + value, 0) / points.length;

/** Judges a run by its curve: failed, or at least 20 points whose last half is no better than the first. */
export function stuckOf({ status, curve }: ClassReport): Stuck | null {
  if (status === 'failed') return 'failed';
  if (curve.length < flatPoints) return null;
  const half = Math.floor(curve.length / 2);
  const [first, last] = [meanOf(curve.slice(0, half)), meanOf(curve.slice(-half))];
  return last < good && last - first < flatGain ? 'flat' : null;
}

export class Board {
  private readonly members = new Map<string, Member>();
  private lastId = 0;

  constructor(
    private readonly newSecret: () => string,
    private readonly now: () => number = Date.now,
  ) {}

  get size(): number {
    return this.members.size;
  }

  /** Adds a member. A taken name gets a number; in a full class, whoever left first makes room. */
  join(name: string): { id: number; secret: string; name: string } {
    if (this.members.size >= mostMembers) {
      const gone = [...this.members.values()].find(({ left }) => left);
      if (!gone) throw new ClassFull();
      this.members.delete(gone.secret);
    }
    const secret = this.newSecret();
    const member = { id: ++this.lastId, name: this.freeName(name), secret, left: false, report: null };
    this.members.set(secret, { ...member, seenAt: this.now() });
    return { id: member.id, secret, name: member.name };
  }

  private freeName(name: string): string {
    const taken = new Set([...this.members.values()].map((each) => each.name));
    if (!taken.has(name)) return name;
    let number = 2;
    while (taken.has(`${name} (${number})`)) number++;
    return `${name} (${number})`;
  }

  /** The member of a secret, who is seen now. */
  private seen(secret: string): Member {
    const member = this.members.get(secret);
    if (!member) throw new NotInClass();
    member.seenAt = this.now();
    member.left = false;
    return member;
  }

  /** Name of a member, who is seen now. */
  nameOf(secret: string): string {
    return this.seen(secret).name;
  }

  report(secret: string, report: ClassReport | null): void {
    this.seen(secret).report = report;
  }

  /** The curve of a member who leaves stays on the board. */
  leave(secret: string): void {
    const member = this.members.get(secret);
    if (member) member.left = true;
  }

  remove(id: number): void {
    for (const [secret, member] of this.members) if (member.id === id) this.members.delete(secret);
  }

  /** All members in the order of their names. */
  view(): BoardMember[] {
    const now = this.now();
    return [...this.members.values()]
      .map(({ id, name, seenAt, left, report }) => ({
        id,
        name,
        away: left || now - seenAt > awayMs,
        stuck: report && stuckOf(report),
        report,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
  }
}
