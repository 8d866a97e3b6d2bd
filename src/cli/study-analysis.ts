/**
 * Analysis of a pre- and post-test: gains by material, their difference with a permutation test, and the coded explanations
 * with an exact test of change (docs/study.md).
 */
import { Random } from '../envs/random.ts';

interface Participant {
  participant: string;
  material: string;
  first: string;
  before: number;
  after: number;
  /** True for an explanation that was coded as one by data or the model, before and after; null: not asked. */
  explained: readonly [before: boolean, after: boolean] | null;
}

/** Points of a test. */
const mostPoints = 8;
const draws = 4000;

const columns = ['participant', 'material', 'first', 'before', 'after'] as const;
/** Optional columns: 1 for a coded explanation by data or the model, 0 for another one. */
const explanationColumns = ['explainedBefore', 'explainedAfter'] as const;

/** Participants and materials of a study; the time is their product. */
const [mostParticipants, mostMaterials] = [100_000, 20];
/** Characters of a line that a refusal repeats. */
const shownLength = 200;

class StudyDataError extends Error {
  override name = 'StudyDataError';
}

/** Reads the table. Throws StudyDataError with the line of a wrong value. */
export function readParticipants(text: string): Participant[] {
  const [head = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);
  const [short, long] = [columns.join(','), [...columns, ...explanationColumns].join(',')];
  if (head !== short && head !== long) throw new StudyDataError(`The first line must be ${short}, or ${long}.`);
  if (lines.length > mostParticipants)
    throw new StudyDataError(`The table has ${lines.length} participants; at most ${mostParticipants} are analysed.`);
  const all = lines.map((line, k) => {
    const shown = line.slice(0, shownLength);
    const cells = line.split(',').map((each) => each.trim());
    const [participant, material, first, ...points] = cells.slice(0, columns.length);
    const coded = cells.slice(columns.length);
    if (coded.length !== (head === long ? 2 : 0) || coded.some((each) => !/^[01]$/.test(each)))
      throw new StudyDataError(`Line ${k + 2}: ${shown}. A coded explanation is 0 or 1.`);
    const [before, after] = points.map(Number);
    const isPoints = (value: number) => Number.isFinite(value) && value >= 0 && value <= mostPoints;
    if (!material || points.length !== 2 || points.includes('') || !isPoints(before) || !isPoints(after))
      throw new StudyDataError(`Line ${k + 2}: ${shown}. Points are numbers from 0 to ${mostPoints}.`);
    const explained = coded.length ? ([coded[0] === '1', coded[1] === '1'] as const) : null;
    return { participant, material, first, before, after, explained };
  });
  checkOnce(all);
  return all;
}

/** Checks that each participant is listed once, and that the materials are few. */
function checkOnce(all: readonly Participant[]): void {
  const lineOf = new Map<string, number>();
  for (const [k, { participant }] of all.entries()) {
    const before = lineOf.get(participant);
    if (before !== undefined)
      throw new StudyDataError(
        `Line ${k + 2}: participant ${participant.slice(0, shownLength)} is in line ${before} already.`,
      );
    lineOf.set(participant, k + 2);
  }
  const materials = new Set(all.map(({ material }) => material)).size;
  if (materials > mostMaterials)
    throw new StudyDataError(`The table has ${materials} materials; at most ${mostMaterials} are compared.`);
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
  /** Coded explanations; null: some participant has none. */
  explained: Explained | null;
}

interface Explained {
  /** Shares of explanations by data or the model. */
  before: number;
  after: number;
  /** Participants who changed towards them, and away from them. */
  gained: number;
  lost: number;
  /** Probability of a change at least as one-sided if both directions were equally likely (McNemar's exact test). */
  probability: number;
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

/** Two-sided probability of at most `few` of `all` tosses of a fair coin on one side. */
function tossed(few: number, all: number): number {
  // 0.5 to the power of 1,075 is 0, so the terms are summed by their logarithms.
  let [logarithm, sum] = [-all * Math.LN2, 0];
  for (let k = 0; k <= few; k++) {
    sum += Math.exp(logarithm);
    logarithm += Math.log((all - k) / (k + 1));
  }
  return Math.min(1, 2 * sum);
}

function explainedBy(own: readonly Participant[]): Explained | null {
  const coded = own.flatMap(({ explained }) => (explained ? [explained] : []));
  if (coded.length < own.length) return null;
  const shareOf = (at: 0 | 1) => coded.filter((each) => each[at]).length / coded.length;
  const gained = coded.filter(([before, after]) => !before && after).length;
  const lost = coded.filter(([before, after]) => before && !after).length;
  const probability = tossed(Math.min(gained, lost), gained + lost);
  return { before: shareOf(0), after: shareOf(1), gained, lost, probability };
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
      explained: explainedBy(own),
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
    const made = { participant: String(k + 1), material, first, before: points(known), after: points(known + gain) };
    return { ...made, explained: null };
  });
}

export const participantsCsv = (all: readonly Participant[]): string =>
  `${[columns.join(','), ...all.map((each) => columns.map((name) => each[name]).join(','))].join('\n')}\n`;
