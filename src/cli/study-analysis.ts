/** Analysis of a pre- and post-test: gains by material, their difference, and a permutation test (docs/study.md). */
import { Random } from '../envs/random.ts';

interface Participant {
  participant: string;
  material: string;
  first: string;
  before: number;
  after: number;
}

/** Points of a test. */
const mostPoints = 8;
const draws = 4000;

const columns = ['participant', 'material', 'first', 'before', 'after'] as const;

class StudyDataError extends Error {
  override name = 'StudyDataError';
}

/** Reads the table. Throws StudyDataError with the line of a wrong value. */
export function readParticipants(text: string): Participant[] {
  const [head = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);
  if (head !== columns.join(',')) throw new StudyDataError(`The first line must be ${columns.join(',')}.`);
  return lines.map((line, k) => {
    const [participant, material, first, ...points] = line.split(',').map((each) => each.trim());
    const [before, after] = points.map(Number);
    const isPoints = (value: number) => Number.isFinite(value) && value >= 0 && value <= mostPoints;
    if (!material || points.length !== 2 || points.includes('') || !isPoints(before) || !isPoints(after))
      throw new StudyDataError(`Line ${k + 2}: ${line}. Points are numbers from 0 to ${mostPoints}.`);
    return { participant, material, first, before, after };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const gainOf = ({ before, after }: Participant) => after - before;
const drawn = <T>(all: readonly T[], random: Random): T[] => all.map(() => all[random.below(all.length)]);

/** Middle 95% of a statistic over bootstrap samples. */
function interval(statistic: () => number): [number, number] {
  const values = Array.from({ length: draws }, statistic).sort((a, b) => a - b);
  return [values[Math.floor(0.025 * draws)], values[Math.ceil(0.975 * draws) - 1]];
}

interface GroupGain {
  material: string;
  count: number;
  before: number;
  after: number;
  gain: number;
  interval: [number, number];
  /** Mean gain over the mean that was left to gain. */
  normalised: number;
}

export interface StudyResult {
  groups: GroupGain[];
  /** Gain of the first material less that of the second; null: there are not two. */
  difference: { value: number; interval: [number, number]; probability: number } | null;
}

/** Share of shuffled assignments whose difference is at least as large, the real one included. */
function permuted(gains: readonly number[], first: number, value: number, random: Random): number {
  let as = 1;
  const all = [...gains];
  for (let draw = 0; draw < draws; draw++) {
    random.shuffle(all);
    if (Math.abs(mean(all.slice(0, first)) - mean(all.slice(first))) >= Math.abs(value) - 1e-12) as += 1;
  }
  return as / (draws + 1);
}

export function analyse(all: readonly Participant[], seed: number): StudyResult {
  const random = new Random(seed);
  const materials = [...new Set(all.map(({ material }) => material))].sort();
  const members = materials.map((material) => all.filter((each) => each.material === material));
  const groups = members.map((own, k): GroupGain => {
    const [before, after] = [mean(own.map((each) => each.before)), mean(own.map((each) => each.after))];
    return {
      ...{ material: materials[k], count: own.length, before, after, gain: after - before },
      interval: interval(() => mean(drawn(own, random).map(gainOf))),
      normalised: (after - before) / Math.max(1e-9, mostPoints - before),
    };
  });
  if (members.length !== 2) return { groups, difference: null };
  const [a, b] = members.map((own) => own.map(gainOf));
  const value = mean(a) - mean(b);
  const spread = interval(() => mean(drawn(a, random)) - mean(drawn(b, random)));
  return {
    groups,
    difference: { value, interval: spread, probability: permuted([...a, ...b], a.length, value, random) },
  };
}

/** Made participants: `effect` is the expected difference of the gains in points. */
export function madeParticipants(count: number, effect: number, seed: number): Participant[] {
  const random = new Random(seed);
  /** Sum of eight questions, each right with a chance. */
  const points = (chance: number) =>
    Array.from({ length: mostPoints }, () => (random.chance(100 * Math.min(0.97, chance)) ? 1 : 0)).reduce<number>(
      (sum, each) => sum + each,
      0,
    );
  return Array.from({ length: count }, (_, k) => {
    const material = k % 2 ? 'paper' : 'page';
    const known = 0.25 + random.below(30) / 100;
    const gain = 0.15 + (material === 'page' ? effect / mostPoints : 0);
    const first = random.chance(50) ? 'A' : 'B';
    return { participant: String(k + 1), material, first, before: points(known), after: points(known + gain) };
  });
}

export const participantsCsv = (all: readonly Participant[]): string =>
  `${[columns.join(','), ...all.map((each) => columns.map((name) => each[name]).join(','))].join('\n')}\n`;
