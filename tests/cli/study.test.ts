// Analysis of a pre- and post-test: numbers worked out by hand, made data with and without an effect.
import { expect, it } from 'vitest';
import { analyse, madeParticipants, participantsCsv, readParticipants } from '../../src/cli/study-analysis.ts';

const csv = `participant,material,first,before,after
1,page,A,2,6
2,page,B,4,6
3,paper,A,2,3
4,paper,B,4,5
`;

it('computes means, gains, what was left to gain, and the exact share of permutations', () => {
  const { groups, difference } = analyse(readParticipants(csv), 1);
  expect(groups[0]).toMatchObject({ material: 'page', count: 2, before: 3, after: 6, gain: 3, normalised: 0.6 });
  expect(groups[1]).toMatchObject({ material: 'paper', count: 2, gain: 1, normalised: 0.2 });
  expect(difference!.value).toBe(2);
  // Gains 4, 2, 1, 1: of the six ways to choose two, 4+2 and 1+1 differ by 2, the others by less.
  expect(difference!.probability).toBeCloseTo(2 / 6, 1);
  expect(difference!.interval[0]).toBeGreaterThanOrEqual(1);
  expect(difference!.interval[1]).toBeLessThanOrEqual(3);
});

it('counts coded explanations, with the exact probability of the change', () => {
  const rows = ['0,1', '0,1', '0,1', '0,1', '0,1', '1,0', '1,1', '0,0'];
  const lines = rows.map((coded, k) => `${k},page,A,2,6,${coded}`);
  const table = `participant,material,first,before,after,explainedBefore,explainedAfter\n${lines.join('\n')}\n`;
  const [group] = analyse(readParticipants(table), 1).groups;
  // Of six who changed, one away: 2 (1 + 6) / 64.
  expect(group.explained).toEqual({
    before: 0.25,
    after: 0.75,
    gained: 5,
    lost: 1,
    probability: expect.closeTo(14 / 64, 12),
  });
  expect(analyse(readParticipants(csv), 1).groups[0].explained).toBeNull();
  expect(() => readParticipants(table.replace('1,1\n', '1,2\n'))).toThrow(/^Line 8: .*0 or 1/);
  expect(() => readParticipants(csv.replace('4,5\n', '4,5,1,1\n'))).toThrow(/^Line 5: /);
});

it('gives the exact probability of a change of more participants than 2 to minus their number can hold', () => {
  const rows = Array.from({ length: 1200 }, (_, k) => `${k},page,A,2,6,${k < 660 ? '0,1' : '1,0'}`);
  const table = `participant,material,first,before,after,explainedBefore,explainedAfter\n${rows.join('\n')}\n`;
  let [ways, sum] = [1n, 0n];
  for (let k = 0n; k <= 540n; k++) {
    sum += ways;
    ways = (ways * (1200n - k)) / (k + 1n);
  }
  const exact = Number((2n * sum * 10n ** 18n) / 2n ** 1200n) / 1e18;
  expect(analyse(readParticipants(table), 1).groups[0].explained!.probability).toBeCloseTo(exact, 10);
});

it('refuses a participant who is listed twice, many materials, and long lines shortly', () => {
  expect(() => readParticipants(csv.replace('4,paper', '2,paper'))).toThrow('Line 5: participant 2 is in line 3');
  const rows = (count: number, material: (k: number) => string) =>
    `participant,material,first,before,after\n${Array.from({ length: count }, (_, k) => `${k},${material(k)},A,1,2\n`).join('')}`;
  expect(() => readParticipants(rows(21, String))).toThrow('21 materials; at most 20');
  expect(() => readParticipants(rows(100_001, () => 'page'))).toThrow('100001 participants; at most 100000');
  expect(() => readParticipants(`${csv}${'x'.repeat(1e6)}\n`)).toThrow(/^.{100,400}$/);
});

it('gives the same output for the same seed, and refuses a wrong table by its line', () => {
  const all = readParticipants(csv);
  expect(analyse(all, 3)).toEqual(analyse(all, 3));
  expect(() => readParticipants(csv.replace('4,5\n', '4,9\n'))).toThrow(/^Line 5: /);
  expect(() => readParticipants('name,points\n')).toThrow('The first line must be');
});

it('finds an effect in made data that has one, and none at the stated rate where there is none', () => {
  const made = (effect: number, seed: number) => readParticipants(participantsCsv(madeParticipants(80, effect, seed)));
  const found = analyse(made(3, 5), 1).difference!;
  expect(found.interval[0]).toBeGreaterThan(0);
  expect(found.probability).toBeLessThan(0.01);
  const chances = Array.from({ length: 12 }, (_, seed) => analyse(made(0, seed + 1), 1).difference!.probability);
  expect(chances.filter((each) => each < 0.05).length).toBeLessThanOrEqual(3);
}, 60_000);
