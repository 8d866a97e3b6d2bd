// Parts that episodes share: opened once, kept up to a size, and never closed while an episode has them.
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/envs/random.ts';
import { beginAll, SharedParts } from '../../src/envs/shared-parts.ts';

interface Part {
  key: string;
  open: boolean;
}

/** Parts of size 1, of which `most` stay open, with a list of all that were opened. */
function shared(most: number) {
  const opened: Part[] = [];
  const parts = new SharedParts<Part>(most, (part) => {
    expect(part.open).toBe(true);
    part.open = false;
  });
  const borrow = (key: string) =>
    parts.borrow(key, 1, async () => {
      opened.push({ key, open: true });
      return opened.at(-1)!;
    });
  return { parts, opened, borrow, openNow: () => opened.filter(({ open }) => open).map(({ key }) => key) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('shared parts', () => {
  it('are opened once for all who borrow them at once, and stay open after they are given back', async () => {
    const { parts, opened, borrow } = shared(2);
    const [a, b] = await Promise.all([borrow('a'), borrow('a')]);
    expect(b).toBe(a);
    parts.giveBack(a);
    parts.giveBack(b);
    expect(await borrow('a')).toBe(a);
    expect(opened).toHaveLength(1);
  });

  it('close the least recently used first, and one in use with its last user', async () => {
    const { parts, borrow, openNow } = shared(2);
    const [a, b] = [await borrow('a'), await borrow('b')];
    parts.giveBack(b);
    const c = await borrow('c');
    await settled();
    expect(openNow()).toEqual(['a', 'b', 'c']);
    parts.giveBack(a);
    expect(openNow()).toEqual(['b', 'c']);
    parts.giveBack(c);
    await borrow('d');
    await settled();
    expect(openNow()).toEqual(['c', 'd']);
  });

  it('never close under an episode, and end with as many as fit, in 2,000 random draws', async () => {
    const { parts, borrow, openNow } = shared(3);
    const random = new Random(5);
    const held: Part[] = [];
    for (let k = 0; k < 2000; k++) {
      if (held.length < 8 && random.chance(50)) held.push(await borrow(String(random.below(9))));
      else if (held.length) parts.giveBack(held.splice(random.below(held.length), 1)[0]);
      expect(held.every(({ open }) => open)).toBe(true);
    }
    for (const part of held.splice(0)) parts.giveBack(part);
    await settled();
    expect(openNow().length).toBeLessThanOrEqual(3);
    await parts.closeAll();
    expect(openNow()).toEqual([]);
  });

  it('keep no failure: the next borrower tries again', async () => {
    const { parts, borrow } = shared(2);
    await expect(parts.borrow('a', 1, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(await borrow('a')).toMatchObject({ key: 'a', open: true });
  });

  it('cannot be given back twice', async () => {
    const { parts, borrow } = shared(1);
    const part = await borrow('a');
    parts.giveBack(part);
    expect(() => parts.giveBack(part)).toThrow('was not borrowed');
  });
});

describe('episodes of a batch', () => {
  it('are given up if one of them cannot begin', async () => {
    const given: number[] = [];
    const begin = async (k: number) => {
      if (k === 2) throw new Error('no such task');
      return k;
    };
    await expect(beginAll([0, 1, 2, 3], begin, (k) => given.push(k))).rejects.toThrow('no such task');
    expect(given).toEqual([0, 1]);
    expect(await beginAll([0, 1], begin, () => {})).toEqual([0, 1]);
  });

  it('take the slots of others, whose parts are given back, or leave them as they are', async () => {
    const { parts, borrow, openNow } = shared(1);
    const episodes = new Map<number, { part: Part }>();
    const partOf = ({ part }: { part: Part }) => part;
    const begin = async (key: string) => {
      if (key === 'bad') throw new Error('no such task');
      return { part: await borrow(key) };
    };
    await parts.replace(episodes, [0, 1], ['a', 'b'], { begin, partOf });
    await expect(parts.replace(episodes, [0, 1], ['c', 'bad'], { begin, partOf })).rejects.toThrow('no such task');
    expect([...episodes.values()].map(({ part }) => part.key)).toEqual(['a', 'b']);
    await parts.replace(episodes, [0, 1], ['d', 'd'], { begin, partOf });
    await settled();
    expect(openNow()).toEqual(['d']);
  });
});
