/**
 * Fuzzes BabyAI: plays random Unicode strings as actions over random levels, seeds and options, and checks the form of
 * each answer. Checks only the form, not the content.
 */

import type { Feedback, World, WorldOptions } from '../../src/envs/env.ts';
import { uniformAt } from '../../src/envs/random-player.ts';
import { actionText } from '../../src/worlds/babyai/wasm.ts';

export interface FuzzReport {
  actions: number;
  valid: number;
  episodes: number;
  successes: number;
  problems: string[];
}

const BATCH = 64;
const MAX_TURNS = 40;
const PIECES = [
  '',
  ' ',
  '\n',
  '\t',
  '\0',
  '"',
  '\\',
  'check',
  'CHECK',
  'chec\u212a',
  'turn left',
  'go to ',
  'pickup ',
  'red ',
  'ball ',
  '1',
  '0',
  '01',
  '99',
  'toggle and go through ',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  '\u2028',
  '\ufeff',
  '\u0130',
  '\u{10ffff}',
  '🚪'.repeat(50),
  'x'.repeat(500),
];

/** Random draws from [0, n), determined by (seed, episode, turn) and a counter. */
class Draws {
  private count = 0;
  constructor(
    private readonly seed: number,
    private readonly episode: number,
    private readonly turn: number,
  ) {}
  below(n: number): number {
    return Math.floor(uniformAt(this.seed + 7919 * this.count++, this.episode, this.turn) * n);
  }
  from<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }
}

function randomText(draws: Draws): string {
  const length = draws.below(12);
  return Array.from({ length }, () => {
    const unit = draws.below(3) ? draws.below(0x250) : draws.below(0x10000);
    return String.fromCharCode(unit);
  }).join('');
}
/** A valid action with one character changed, doubled or dropped. */
function damaged(action: string, draws: Draws): string {
  const at = draws.below(action.length);
  const middle = draws.from([
    '',
    action[at] + action[at],
    String.fromCharCode(draws.below(0x10000)),
    action[at].toUpperCase(),
  ]);
  return action.slice(0, at) + middle + action.slice(at + 1);
}
function fuzzAction(valid: readonly string[], draws: Draws): string {
  const kind = draws.below(10);
  if (kind < 4) return draws.from(valid);
  if (kind < 5) return ` ${draws.from(valid).toUpperCase()}\u2003\x1f`;
  if (kind < 7) return damaged(draws.from(valid), draws);
  if (kind < 8) return Array.from({ length: 1 + draws.below(4) }, () => draws.from(PIECES)).join('');
  if (kind < 9) return actionText(((draws.below(10) << 12) | ((draws.below(24) + 40) << 6) | draws.below(64)) & 0xffff);
  return randomText(draws);
}

const LISTED = /\nAvailable actions: (\[.*\])$/;
/** Describes the first fault of an answer, or returns null. */
function problemOf(
  { observation, reward, done, valid, validActions, failure }: Feedback,
  options: WorldOptions,
  wasDone: boolean,
): string | null {
  if (failure !== undefined) return `failure ${failure}`;
  if (!/^[\n -~]+$/.test(observation)) return 'text that is not printable ASCII';
  if (!Number.isFinite(reward) || (!options.upstream && (reward < 0 || reward > 1))) return `reward ${reward}`;
  if (!Array.isArray(validActions) || validActions.length < 2) return 'no list of actions';
  if (new Set(validActions).size !== validActions.length) return 'an action listed twice';
  if (validActions.some((action) => !/^[a-z]+( [a-z]+)*( [1-9][0-9]?)?$/.test(action))) return 'a malformed action';
  if (wasDone)
    return done && !valid && /has finished\.$/.test(observation) ? null : 'an episode that continues after its end';
  if (options.observation === 'compact') return LISTED.test(observation) ? 'a list in a compact text' : null;
  const listed = LISTED.exec(observation)?.[1];
  return listed && JSON.stringify(JSON.parse(listed)) === JSON.stringify(validActions)
    ? null
    : 'text and list that differ';
}

/** Plays `actions` random actions in total; collects up to ten problems. */
export async function fuzzBabyai(world: World, actions: number, seed: number): Promise<FuzzReport> {
  const report: FuzzReport = { actions: 0, valid: 0, episodes: 0, successes: 0, problems: [] };
  const slots = Array.from({ length: BATCH }, (_, k) => k);
  for (let round = 0; report.actions < actions; round++) {
    const tasks = slots.map((slot) => {
      const draws = new Draws(seed, round * BATCH + slot, -1);
      const options = { upstream: draws.below(2) === 0, observation: draws.from(['full', 'compact']) };
      return { world: 'babyai', id: draws.below(40) + 40 * draws.below(2 ** 31), options, strata: {} };
    });
    let answers = await world.reset(slots, tasks);
    report.episodes += BATCH;
    for (let turn = 0; turn < MAX_TURNS && report.actions < actions; turn++) {
      const before = answers;
      const texts = slots.map((slot) =>
        fuzzAction(before[slot].validActions ?? [''], new Draws(seed, round * BATCH + slot, turn)),
      );
      answers = await world.step(slots, texts);
      report.actions += BATCH;
      for (const slot of slots) {
        const problem = problemOf(answers[slot], tasks[slot].options, before[slot].done);
        if (answers[slot].valid) report.valid++;
        if (answers[slot].done && !before[slot].done && answers[slot].reward > 0) report.successes++;
        if (problem && report.problems.length < 10)
          report.problems.push(
            `item ${tasks[slot].id}, ${JSON.stringify(tasks[slot].options)}, action ${JSON.stringify(texts[slot])}: ${problem}`,
          );
      }
    }
  }
  return report;
}

export interface LevelTimes {
  level: number;
  meanMicroseconds: number;
  worstMilliseconds: number;
  worstSeed: number;
}

/**
 * Makes `seeds` worlds of every level and returns the times per level. Finds hangs, which never return, and traps,
 * which throw.
 */
export async function makeEveryLevel(world: World, seeds: number, first = 0): Promise<LevelTimes[]> {
  const times: LevelTimes[] = [];
  // Warm up first, so that compilation does not count for the first level.
  for (let seed = 0; seed < 200; seed++)
    await world.reset([0], [{ world: 'babyai', id: seed, options: {}, strata: {} }]);
  for (let level = 1; level <= 40; level++) {
    const row = { level, meanMicroseconds: 0, worstMilliseconds: 0, worstSeed: 0 };
    for (let seed = first; seed < first + seeds; seed++) {
      const start = performance.now();
      await world.reset([0], [{ world: 'babyai', id: level - 1 + 40 * seed, options: {}, strata: {} }]);
      const ms = performance.now() - start;
      row.meanMicroseconds += (1000 * ms) / seeds;
      if (ms > row.worstMilliseconds) Object.assign(row, { worstMilliseconds: ms, worstSeed: seed });
    }
    times.push(row);
  }
  return times;
}
