/**
 * Compares the household with TextWorld, which plays the same problems with the original's domain and grammar
 * (`play.py`): every text, list of commands (as a set), score and end.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { writeGame } from '../../src/worlds/household/original/game.ts';
import type { Dialect } from '../../src/worlds/household/original/grammar.ts';
import { readProblem, writeProblem } from '../../src/worlds/household/original/problem.ts';
import { Household } from '../../src/worlds/household/world.ts';
import { type Answer, answerOf, type Walk, walk } from './walks.ts';

export interface ReferenceOptions {
  /** Program of a Python environment with textworld[pddl] and alfworld. */
  python: string;
  /** Folders with `alfred.pddl` and `alfred.twl2` of ALFWorld 0.3.3 and of 0.4 or later. */
  logic: { readonly [dialect in Dialect]: string };
  dialects: readonly Dialect[];
  /** Walks in each dialect. */
  walks: number;
  first: number;
  /** File of the sample problem, or empty. */
  sample: string;
  /** File to which a record of each walk is appended, or empty. */
  record: string;
}

/** TextWorld as a process that answers a line with a line. */
class Player {
  private readonly child;
  private readonly waiting: ((line: string) => void)[] = [];

  constructor(python: string) {
    this.child = spawn(python, ['tools/household/play.py'], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout }).on('line', (line) => this.waiting.shift()?.(line));
    this.child.on('exit', (code) => {
      if (code) throw new Error(`play.py ended with ${code}: install textworld[pddl] and alfworld for it.`);
    });
  }

  play(line: object): Promise<Answer[]> {
    return new Promise((resolve) => {
      this.waiting.push((text) => resolve(JSON.parse(text)));
      this.child.stdin.write(`${JSON.stringify(line)}\n`);
    });
  }

  close(): void {
    this.child.stdin.end();
  }
}

const asSet = (commands: readonly string[]) => [...new Set(commands)].sort().join('\n');

/** The first difference, or null. */
export function difference(ours: readonly Answer[], theirs: readonly Answer[]): string | null {
  if (ours.length !== theirs.length) return `${ours.length} answers, and the original gave ${theirs.length}`;
  for (const [k, [text, commands, score, done]] of ours.entries()) {
    const [theirText, theirCommands, theirScore, theirDone] = theirs[k];
    if (text !== theirText) return `answer ${k}: ${JSON.stringify(text)}, the original's ${JSON.stringify(theirText)}`;
    if (asSet(commands) !== asSet(theirCommands)) {
      const only = (one: readonly string[], other: readonly string[]) => one.filter((each) => !other.includes(each));
      return `answer ${k}: commands only here ${JSON.stringify(only(commands, theirCommands))}, only there ${JSON.stringify(only(theirCommands, commands))}`;
    }
    if (score !== theirScore || done !== theirDone)
      return `answer ${k}: ${score} ${done}, the original's ${theirScore} ${theirDone}`;
  }
  return null;
}

/** Hash of a walk's answers. Fixtures keep it in place of the texts. */
export const answersHash = (answers: readonly Answer[]) =>
  createHash('sha256').update(JSON.stringify(answers)).digest('hex').slice(0, 16);

interface Count {
  walks: number;
  answers: number;
  won: number;
  differ: number;
  /** Walks whose list is in the original's order as well. */
  sameOrder: number;
}

function add(count: Count, { answers }: Pick<Walk, 'answers'>, theirs: readonly Answer[]): void {
  count.walks++;
  count.answers += answers.length;
  if (answers.at(-1)![3]) count.won++;
  if (answers.every(([, commands], k) => commands.join('\n') === theirs[k]?.[1].join('\n'))) count.sameOrder++;
}

/** The sample problem, played with things by their ids, as TextWorld names them. */
async function playSample(
  player: Player,
  world: Household,
  file: string,
  logic: string,
  dialect: Dialect,
): Promise<string | null> {
  const problem = readFileSync(file, 'utf8');
  const house = readProblem(problem, 'examine the cd');
  const [start] = await world.resetHouses([0], [house], { dialect });
  const commands = [
    'look',
    'go to desk',
    'examine desk',
    'use desklamp',
    'go to drawer',
    'open drawer',
    'look',
    'take book2 from drawer',
    'examine book2',
    'inventory',
    'close drawer',
    'go to desk',
  ];
  let listed = start.validActions!;
  const answers = [answerOf(start, listed)];
  const visits = house.receptacles.flatMap(({ id }) => [`go to ${id}`, `open ${id}`, 'look', `examine ${id}`]);
  const lines = [
    ...visits,
    'go to desk',
    'take cd from desk',
    'examine cd',
    'go to shelf',
    'go to desk',
    'use desklamp',
  ];
  const all = [...commands.slice(0, 3), ...lines];
  for (const command of all) {
    const [feedback] = await world.step([0], [command]);
    listed = feedback.validActions ?? listed;
    answers.push(answerOf(feedback, listed));
    if (feedback.done) break;
  }
  return difference(answers, await player.play({ logic, task: house.task, problem, commands: all }));
}

/** Plays and compares. Returns the number of walks that differ. */
export async function compareWithTextWorld(options: ReferenceOptions): Promise<number> {
  const world = await Household.open();
  const player = new Player(options.python);
  let differ = 0;
  for (const dialect of options.dialects) {
    const count: Count = { walks: 0, answers: 0, won: 0, differ: 0, sameOrder: 0 };
    for (let seed = options.first; seed < options.first + options.walks; seed++) {
      const made = await walk(world, seed, dialect, 4 + (seed % 12));
      const { house, commands, answers } = made;
      // One walk in ten is a game file that we write, with our domain and grammar in place of the original's.
      const own = seed % 10 === 9;
      const line = own
        ? { game: JSON.parse(writeGame(house, dialect, [])), commands }
        : { logic: options.logic[dialect], task: house.task, problem: writeProblem(house), commands };
      const theirs = await player.play(line);
      add(count, made, theirs);
      const found = difference(answers, theirs);
      if (found) {
        console.log(`${dialect} ${seed}: ${found}; commands ${JSON.stringify(commands)}`);
        if (++count.differ > 10) break;
      }
      const record = { seed, dialect, commands, answers: answersHash(theirs) };
      if (options.record && !own) appendFileSync(options.record, `${JSON.stringify(record)}\n`);
      if (count.walks % 200 === 0) console.log(`${dialect}: ${count.walks} walks`);
    }
    if (options.sample) {
      const found = await playSample(player, world, options.sample, options.logic[dialect], dialect);
      console.log(`sample problem, ${dialect}: ${found ?? 'equal'}`);
      if (found) differ++;
    }
    console.log(
      `${dialect}: ${count.walks} problems, ${count.answers} answers, ${count.won} won, ${count.differ} differ; commands in the same order in ${count.sameOrder}`,
    );
    differ += count.differ;
  }
  player.close();
  return differ;
}
