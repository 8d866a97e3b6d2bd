/**
 * Fuzzes a small world: plays random Unicode strings, damaged actions and valid ones, and checks the form of
 * each answer. Checks only the form, not the content.
 */
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import { uniformAt } from '../../src/envs/random-player.ts';

export interface FuzzReport {
  actions: number;
  valid: number;
  episodes: number;
  successes: number;
  /** The first few faults found. */
  problems: string[];
}

const BATCH = 64;
/** Turns per episode. Some continue after the end of their episode, because a world must answer then too. */
const TURNS = 30;
export const MOST_PROBLEMS = 10;
const PIECES = ['', ' ', '\n', '\0', '\u2028', '\ufeff', '\ud800', '\udc00', '😀', 'é', '\u212a', 'x'.repeat(500)];

/** A source of random choices. */
interface Choices {
  below(n: number): number;
}

const from = <T>(draws: Choices, list: readonly T[]): T => list[draws.below(list.length)];

/** Random draws, determined by (seed, episode, turn) and a counter. */
class Draws implements Choices {
  private count = 0;
  constructor(
    private readonly seed: number,
    private readonly episode: number,
    private readonly turn: number,
  ) {}
  below(n: number): number {
    return Math.floor(uniformAt(this.seed + 7919 * this.count++, this.episode, this.turn) * n);
  }
}

function randomText(draws: Choices): string {
  return Array.from({ length: draws.below(12) }, () =>
    String.fromCharCode(draws.below(3) ? draws.below(0x250) : draws.below(0x10000)),
  ).join('');
}

/** A valid action with one character changed, doubled or dropped. */
function damaged(action: string, draws: Choices): string {
  const at = draws.below(action.length);
  const strange = String.fromCharCode(draws.below(0x10000));
  const middle = from(draws, ['', action[at] + action[at], strange, action[at].toUpperCase()]);
  return action.slice(0, at) + middle + action.slice(at + 1);
}

/** A text for an episode that offers `valid`, a list that is not empty. */
export function fuzzAction(valid: readonly string[], draws: Choices): string {
  const kind = draws.below(10);
  if (kind < 4) return from(draws, valid);
  if (kind < 5) return ` ${from(draws, valid).toUpperCase()}\u2003\x1f`;
  if (kind < 7) return damaged(from(draws, valid), draws);
  if (kind < 8) return Array.from({ length: 1 + draws.below(4) }, () => from(draws, [...PIECES, ...valid])).join('');
  return randomText(draws);
}

/**
 * Describes the first fault of an answer, or returns null. `counted`: rewards may come before the end and reach 1 only
 * at the end.
 */
function problemOf(
  { observation, reward, done, valid, failure }: Feedback,
  wasDone: boolean,
  counted: boolean,
): string | null {
  if (failure !== undefined) return `failure ${failure}`;
  if (!/^[\n -~]+$/.test(observation)) return 'text that is not printable ASCII';
  if (!Number.isFinite(reward) || reward < -1 || reward > 1) return `reward ${reward}`;
  if (!done && (counted ? reward >= 1 : reward !== 0)) return `reward ${reward} before the end`;
  if (wasDone && (!done || valid || reward !== 0)) return 'an episode that continues after its end';
  return null;
}

/** Options under which each world is fuzzed, covering all its variants. */
export const fuzzedOptions: { [world: string]: readonly WorldOptions[] } = {
  household: [
    { houses: 40, testHouses: 20 },
    { houses: 40, dialect: 'put', commands: 'acting', partial: true, receptacles: 24, clutter: 60, sharedPlaces: 30 },
    { houses: 40, observation: 'brief', receptacles: 8, clutter: 0, oracle: 'explores' },
    { houses: 40, tasks: ['second-room', 'closed', 'both'], partial: true, sharedPlaces: 50 },
  ],
  maze: [{}, { upstream: true }, { observation: 'compact', size: 3, loops: 0, stepLimit: 20 }, { size: 20 }],
  wordle: [
    { words: 100 },
    { upstream: true },
    { list: 'original', observation: 'compact', partial: true, spelled: true },
    { list: 'large', tries: 12 },
    { drawn: 30, observation: 'compact', spelled: true, partial: true, hints: true, tries: 10 },
    { list: 'original', drawn: 8, showWords: true },
    { drawn: 150, oracle: 'any' },
    { list: 'large', oracle: 'any', oracleSeed: 65535 },
  ],
};

/** Plays at least `actions` texts over tasks of both splits, under each of the options in turn. */
export async function fuzzWorld(
  world: World,
  options: readonly WorldOptions[],
  actions: number,
  seed: number,
): Promise<FuzzReport> {
  const report: FuzzReport = { actions: 0, valid: 0, episodes: 0, successes: 0, problems: [] };
  for (let round = 0; report.actions < actions; round++) {
    const some = options[round % options.length];
    const all = [...(await world.tasks(some, 'train')), ...(await world.tasks(some, 'test'))];
    const tasks = Array.from({ length: BATCH }, (_, b) => from(new Draws(seed, round * BATCH + b, -1), all));
    await fuzzBatch(world, tasks, seed, round * BATCH, report);
  }
  return report;
}

/** True if a task's options give rewards before its end. */
const mayCount = ({ options }: Task) => options.hints === true || options.partial === true;

async function fuzzBatch(world: World, tasks: readonly Task[], seed: number, first: number, report: FuzzReport) {
  const slots = [...tasks.keys()];
  const starts = await world.reset(slots, tasks);
  const done = starts.map(() => false);
  const listed = starts.map((start) => validActionsAfter(null, start) ?? []);
  report.episodes += slots.length;
  for (let turn = 0; turn < TURNS; turn++) {
    const texts = slots.map((b) => fuzzAction(listed[b], new Draws(seed, first + b, turn)));
    const answers = await world.step(slots, texts);
    for (const [b, answer] of answers.entries()) {
      const problem = problemOf(answer, done[b], mayCount(tasks[b]));
      if (problem && report.problems.length < MOST_PROBLEMS)
        report.problems.push(`${JSON.stringify(tasks[b])}, turn ${turn}, ${JSON.stringify(texts[b])}: ${problem}`);
      listed[b] = validActionsAfter(listed[b], answer) ?? [];
      if (answer.valid) report.valid++;
      if (answer.reward === 1 && !done[b]) report.successes++;
      done[b] ||= answer.done;
    }
    report.actions += slots.length;
  }
}
