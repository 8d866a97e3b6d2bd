// The gap between sampling and training, over all tokens and by turns, against sums over the same tokens.
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/rl/common/random.ts';
import { Gap, gapTurns } from '../../src/rl/metrics/gap.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';

/** Tokens of batches with their turns, drawn at random. */
const batches = [1, 2].map((batch) => {
  const at = (row: number, nth: number) => uniform(7, batch, row, nth);
  const rows = Array.from({ length: 200 }, (_, row) => row);
  return {
    logprob: Float32Array.from(rows, (row) => -3 * at(row, 0)),
    sampled: Float32Array.from(rows, (row) => -3 * at(row, 1)),
    turn: Int32Array.from(rows, (row) => Math.floor(12 * at(row, 2))),
  };
});
const tokens = batches.flatMap(({ logprob, sampled, turn }) =>
  Array.from(turn, (each, row) => ({ turn: each, gap: Math.abs(logprob[row] - sampled[row]) })),
);
const meanGap = (low: number, high: number) => {
  const within = tokens.filter(({ turn }) => turn + 1 >= low && turn + 1 <= high);
  return within.reduce((total, { gap }) => total + gap, 0) / within.length;
};

function gapOf(given: typeof batches) {
  const gap = new Gap();
  for (const { logprob, sampled, turn } of given) gap.add(logprob, sampled, turn);
  return gap.metrics();
}

describe('the gap between sampling and training', () => {
  it('is the mean over all tokens, their largest, and the mean of each bin of turns', () => {
    const found = gapOf(batches);
    const bins = [
      [1, 1],
      [2, 2],
      [3, 4],
      [5, 8],
      [9, 16],
    ] as const;
    const expected = bins.map(
      ([low, high]) => [low === high ? `${low}` : `${low}-${high}`, meanGap(low, high)] as const,
    );
    expect(
      Object.keys(found)
        .flatMap((name) => gapTurns(name) ?? [])
        .sort(),
    ).toEqual(expected.map(([turns]) => turns).sort());
    for (const [turns, value] of expected) expect(found[`logprobGap.${turns}`]).toBeCloseTo(value, 12);
    expect(found.logprobGap).toBeCloseTo(meanGap(1, 12), 12);
    expect(found.logprobGapMax).toBe(Math.max(...tokens.map(({ gap }) => gap)));
    for (const name of Object.keys(found)) expect([name, metricNamed(name)?.unit]).toEqual([name, 'nats']);
  });

  it('has no bins where all tokens are of one turn', () => {
    const one = batches.map((batch) => ({ ...batch, turn: new Int32Array(200) }));
    expect(Object.keys(gapOf(one)).sort()).toEqual(['logprobGap', 'logprobGapMax']);
  });
});
