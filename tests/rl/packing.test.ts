// Laws of packing, on trajectories of many shapes.
import { describe, expect, it } from 'vitest';
import { allowedPerScored } from '../../src/policy/policy.ts';
import { below, uniform } from '../../src/rl/common/random.ts';
import { chosenPositions, pack } from '../../src/rl/episode/micro-batch.ts';
import { TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';

/** A trajectory of made-up tokens with random chosen positions. */
function trajectory(group: number, member: number, free = false): Trajectory {
  const promptLength = 5 + (group % 3);
  const length = promptLength + 1 + below(30, 1, group, member);
  const position: number[] = [];
  const source = new Uint8Array(length);
  for (let i = promptLength; i < length; i++) {
    source[i] = uniform(2, group, member, i) < 0.6 ? TokenSource.policy : TokenSource.world;
    if (source[i] === TokenSource.policy && uniform(3, group, member, i) < 0.5) position.push(i);
  }
  const prompt = (i: number) => 100 * group + i;
  const tokens = Int32Array.from({ length }, (_, i) => (i < promptLength ? prompt(i) : below(90, 4, group, member, i)));
  const choices = {
    position: Int32Array.from(position),
    offsets: Int32Array.from({ length: position.length + 1 }, (_, row) => 2 * row),
    tokens: Int32Array.from(position.flatMap((i) => [tokens[i], 1000])),
  };
  const common = {
    task: { world: 'w', id: group, options: {}, strata: {} },
    prompt: '',
    turns: [],
    score: 0,
    advantage: 0,
    advantages: new Float32Array(0),
  };
  const arrays = { turnOf: new Int16Array(length), logprob: new Float32Array(length) };
  const outcome = { success: false, ending: 'done' as const, horizon: 1, oracleTurns: null };
  return {
    ...common,
    ...arrays,
    ...outcome,
    group,
    member,
    promptLength,
    tokens,
    source,
    choices: free ? null : choices,
  };
}

/** The trajectory with this number of allowed tokens at each chosen position. */
function withLists(one: Trajectory, size: number): Trajectory {
  const { position } = one.choices!;
  const offsets = Int32Array.from({ length: position.length + 1 }, (_, row) => size * row);
  const tokens = Int32Array.from({ length: offsets.at(-1)! }, (_, i) =>
    i % size === 0 ? one.tokens[position[i / size]] : 1000 + (i % size),
  );
  return { ...one, choices: { position, offsets, tokens } };
}

const all = Array.from({ length: 40 }, (_, i) => trajectory(Math.floor(i / 5), i % 5));
const capacity = { batchTokens: 120, batchScored: 22 };

describe('packing', () => {
  const batches = pack(all, capacity);

  it('scores every chosen token once, at its own position', () => {
    const seen = new Set<string>();
    for (const { batch, trajectory: of, position } of batches) {
      batch.scored.forEach((at, row) => {
        const key = `${of[row]} ${position[row]}`;
        expect(seen.has(key)).toBe(false);
        seen.add(key);
        expect(batch.tokens[at]).toBe(all[of[row]].tokens[position[row]]);
      });
    }
    expect(seen.size).toBe(all.reduce((sum, one) => sum + chosenPositions(one).length, 0));
  });

  it('never exceeds the planned capacity', () => {
    expect(batches.length).toBeGreaterThan(3);
    for (const { batch } of batches) {
      expect(batch.tokens.length).toBeLessThanOrEqual(capacity.batchTokens);
      expect(batch.scored.length).toBeLessThanOrEqual(capacity.batchScored);
    }
  });

  it('puts children after their parent, which is their prompt', () => {
    for (const { batch, trajectory: of, position } of batches) {
      let end = 0;
      let parent = -1;
      batch.segments.forEach((segment, index) => {
        expect(segment.start).toBe(end);
        end = segment.end;
        if (segment.parent < 0) parent = index;
        else expect(segment.parent).toBe(parent);
      });
      expect(end).toBe(batch.tokens.length);
      batch.scored.forEach((at, row) => {
        const child = batch.segments.find(({ start, end: stop }) => at >= start && at < stop)!;
        const { start, end: stop } = batch.segments[child.parent];
        const whole = [...batch.tokens.subarray(start, stop), ...batch.tokens.subarray(child.start, at + 1)];
        expect(whole).toEqual(Array.from(all[of[row]].tokens.subarray(0, position[row] + 1)));
      });
    }
  });

  it('lists scored tokens in ascending order, each with its allowed tokens', () => {
    for (const { batch, trajectory: of, position } of batches) {
      expect(Array.from(batch.scored)).toEqual([...batch.scored].sort((a, b) => a - b));
      const { offsets, tokens } = batch.allowed!;
      expect(offsets).toHaveLength(batch.scored.length + 1);
      batch.scored.forEach((_, row) => {
        const token = all[of[row]].tokens[position[row]];
        expect(Array.from(tokens.subarray(offsets[row], offsets[row + 1]))).toEqual([token, 1000]);
      });
    }
  });

  it('keeps within the planned number of allowed tokens, if lists are long', () => {
    const long = all.map((one) => withLists(one, 80));
    const planned = allowedPerScored * capacity.batchScored;
    const split = pack(long, capacity);
    expect(split.reduce((sum, { batch }) => sum + batch.scored.length, 0)).toBe(
      batches.reduce((sum, { batch }) => sum + batch.scored.length, 0),
    );
    expect(split.length).toBeGreaterThan(batches.length);
    for (const { batch } of split) expect(batch.allowed!.tokens.length).toBeLessThanOrEqual(planned);
    // Rows without a list have room for the whole vocabulary each.
    expect(pack(long, { ...capacity, freeTokens: true })).toHaveLength(batches.length);
    expect(() => pack([withLists(all[0], 2000)], capacity)).toThrow(/allowed tokens, does not fit in a batch of/);
  });

  it('is the same each time', () => {
    expect(pack(all, capacity)).toEqual(batches);
  });

  it('scores every policy token after free decoding', () => {
    const free = [trajectory(0, 0, true), trajectory(0, 1, true)];
    const [{ batch, position }] = pack(free, { batchTokens: 200, batchScored: 200 });
    expect(batch.allowed).toBeNull();
    expect(position).toHaveLength(free.reduce((n, one) => n + one.source.filter((who) => who === 1).length, 0));
  });

  it('refuses what does not fit, with the reason', () => {
    expect(() => pack(all, { batchTokens: 12, batchScored: 100 })).toThrow(/does not fit in a batch of 12 tokens/);
    expect(pack([], capacity)).toEqual([]);
  });
});
