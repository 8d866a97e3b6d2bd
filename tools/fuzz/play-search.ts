/**
 * Fuzzes Search: plays random Unicode strings and FTS5 query syntax as actions over random options, and checks the form
 * of each answer. Checks only the form, not the content.
 */
import type { Feedback, Json, World } from '../../src/envs/env.ts';
import { Random } from '../../src/envs/random.ts';

export interface FuzzReport {
  actions: number;
  valid: number;
  episodes: number;
  successes: number;
  problems: string[];
}

const batch = 64;
const turns = 24;

const pieces = [
  '',
  ' ',
  '\n',
  '\t',
  '\0',
  '"',
  '""',
  "'",
  '*',
  '^',
  '-',
  '+',
  '(',
  ')',
  '{',
  '}',
  ':',
  ',',
  ';',
  '--',
  '/*',
  'NEAR',
  'NEAR(',
  'OR',
  'AND',
  'NOT',
  'title:',
  'body :',
  '{title body}:',
  '"a" *',
  'rank',
  'bm25(documents)',
  'MATCH',
  'search ',
  'answer ',
  '<search>',
  '</search>',
  '<answer>',
  '</answer>',
  '<think>',
  '</think>',
  '<information>',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  'e\u0301',
  '\u2028',
  '\ufeff',
  '\u0130',
  '\u{10ffff}',
  '\ufdd0',
  '東',
  '\u05d0',
  'ﬁ',
  '²',
  '%s',
  '?',
  '?1',
  '$x',
  ':x',
  '@x',
  '\\',
  'null',
  'the',
  'a'.repeat(3000),
  'word '.repeat(500),
  '"'.repeat(999),
  '('.repeat(999),
];

function randomText(random: Random): string {
  return Array.from({ length: random.below(12) }, () =>
    String.fromCharCode(random.chance(70) ? random.below(0x250) : random.below(0x10000)),
  ).join('');
}

const joinedPieces = (random: Random) =>
  Array.from({ length: 1 + random.below(6) }, () => random.pick(pieces)).join('');

function damaged(action: string, random: Random): string {
  const at = random.below(action.length + 1);
  return (
    action.slice(0, at) +
    random.pick(['', '"', '*', String.fromCharCode(random.below(0x10000))]) +
    action.slice(at + random.below(2))
  );
}

function fuzzAction(offered: readonly string[], random: Random): string {
  const kind = random.below(10);
  if (kind < 3) return random.pick(offered);
  if (kind < 5) return damaged(random.pick(offered), random);
  if (kind < 6) return `search ${joinedPieces(random)}`;
  if (kind < 7) return `<search>${joinedPieces(random)}${randomText(random)}</search>`;
  if (kind < 8) return joinedPieces(random);
  if (kind < 9) return `answer ${joinedPieces(random)}${randomText(random)}`;
  return randomText(random);
}

function problemOf({ observation, reward, done, failure }: Feedback, wasOver: boolean): string | null {
  if (failure !== undefined) return `failure ${failure}`;
  if (typeof observation !== 'string' || observation.length === 0) return 'no text';
  if (reward !== 0 && reward !== 1) return `reward ${reward}`;
  if (reward === 1 && !done) return 'a reward before the end';
  if (wasOver && !done) return 'an episode that continues after its end';
  return null;
}

const optionsOf = (random: Random): { [name: string]: Json } => ({
  upstream: random.chance(40),
  ending: random.pick(['first-answer', 'retry', 'search-r1']),
  hops: [random.between(1, 4)],
  documents: random.between(1, 5),
  articles: random.pick([20, 40, 60]),
  universes: 20,
});

/** Plays `actions` random actions in total; collects up to ten problems. */
export async function fuzzSearch(world: World, actions: number, seed: number): Promise<FuzzReport> {
  const random = new Random(seed);
  const report: FuzzReport = { actions: 0, valid: 0, episodes: 0, successes: 0, problems: [] };
  const slots = Array.from({ length: batch }, (_, k) => k);
  while (report.actions < actions) {
    const tasks = slots.map(() => ({ world: 'search', id: random.below(400), options: optionsOf(random), strata: {} }));
    let answers = await world.reset(slots, tasks);
    const offered = answers.map(({ validActions }) => validActions ?? []);
    report.episodes += batch;
    for (let turn = 0; turn < turns && report.actions < actions; turn++) {
      const before = answers;
      const texts = slots.map((slot) => fuzzAction(offered[slot], random));
      answers = await world.step(slots, texts);
      report.actions += batch;
      for (const [slot, answer] of answers.entries()) {
        if (answer.validActions) offered[slot] = answer.validActions;
        if (answer.valid) report.valid++;
        if (answer.reward === 1 && !before[slot].done) report.successes++;
        const wasOver = before[slot].done && !tasks[slot].options.upstream;
        const problem = problemOf(answer, wasOver);
        if (problem && report.problems.length < 10)
          report.problems.push(`${JSON.stringify(tasks[slot])}, action ${JSON.stringify(texts[slot])}: ${problem}`);
      }
    }
  }
  return report;
}
