/** Reading an episode: its segments, the facts of a token, the drawn turns. */
import { describe, expect, test } from 'vitest';
import { mockStep } from '../../src/ui/gallery/mock-data.ts';
import { turnWindow } from '../../src/ui/stage/turn-window.ts';
import { segmentsOf, tokenFacts } from '../../src/ui/state/episodes.ts';

describe('reading an episode', () => {
  const trajectory = mockStep(30).find((each) => each.choices!.position.length > 2)!;

  test('segments cover every token once, in order', () => {
    const segments = segmentsOf(trajectory);
    const covered = segments.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index),
    );
    expect(covered).toEqual(Array.from(trajectory.tokens, (_, index) => index));
  });

  test('a chosen token has its alternatives, a forced one has none', () => {
    const [chosen] = trajectory.choices!.position;
    expect(tokenFacts(trajectory, chosen)).toMatchObject({ source: 'policy', forced: false });
    expect(tokenFacts(trajectory, chosen).allowed).toContain(trajectory.tokens[chosen]);
    const forced = trajectory.tokens.findIndex(
      (_, index) => trajectory.source[index] === 1 && !trajectory.choices!.position.includes(index),
    );
    expect(tokenFacts(trajectory, forced)).toMatchObject({ forced: true, allowed: null, logprob: 0 });
    expect(tokenFacts(trajectory, chosen).advantage).toBeCloseTo(trajectory.advantage, 5);
    expect(tokenFacts(trajectory, 0)).toMatchObject({ source: 'world', logprob: null, advantage: null });
  });

  test('the window of turns contains the chosen one, and stays small', () => {
    const lengths = Array.from({ length: 1000 }, () => 20);
    for (const chosen of [0, 1, 500, 998, 999]) {
      const { from, to } = turnWindow(lengths, chosen);
      expect(chosen >= from && chosen < to).toBe(true);
      expect(to - from).toBeLessThanOrEqual(41);
    }
    expect(turnWindow([5000], 0)).toEqual({ from: 0, to: 1 });
  });
});
