/**
 * Fuzzes any world that is played here, from its module alone: options from its schema, and actions made of those that
 * it lists, of its oracle's, of calls of its tools, and of any Unicode. Checks what holds for every world.
 */
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import type { WorldModule } from '../../src/envs/module.ts';
import { Random } from '../../src/envs/random.ts';
import { MOST_OBSERVATION } from '../../src/envs/text-bounds.ts';
import { drawOptions } from './drawn-options.ts';
import { type FuzzReport, fuzzAction, MOST_PROBLEMS } from './play-small.ts';
import { type ListedTool, toolAction } from './play-tools.ts';

/** Slots of a batch. */
const batch = 16;
/** Turns of an episode; some come after its end, because a world must answer then too. */
const turns = 30;
/** Batches with the same options. */
const batchesEach = 4;
/** One batch in this many is played again, and must give equal answers. */
const replayed = 8;

export const isFuzzable = ({ connection }: WorldModule) => connection.kind === 'wasm' || connection.kind === 'page';

/** True if a task follows an original's rules, which may go on after the end. */
const isUpstream = ({ options }: Task) => options.upstream === true;

/** False if a text has half of a character. */
const isWhole = (text: string) => Buffer.from(text).toString() === text;

/** True if a text has half of a character, as itself or escaped: its echo may have it too. */
const mayHalve = (text: string) => !isWhole(text) || /\\u[dD][89a-fA-F]/.test(text);

/** Faults of a single answer. `most`: the largest reward. */
function faultsOf(answer: Feedback, action: string, { listed: before, task }: Game, most: number): string[] {
  const { observation, reward, done, validActions, failure } = answer;
  const listed = validActions ?? [];
  return [
    ...(failure === undefined ? [] : [`failure ${failure}`]),
    ...(typeof observation === 'string' && observation.length < MOST_OBSERVATION ? [] : ['no text, or one too long']),
    ...(isWhole(String(observation)) || mayHalve(action) ? [] : ['half a character']),
    ...(Math.abs(reward) <= most ? [] : [`reward ${reward}`]),
    ...(done || reward < most || isUpstream(task) ? [] : [`reward ${reward} before the end`]),
    ...(listed.every((each) => typeof each === 'string' && each !== '') ? [] : ['valid actions of another form']),
    ...(done || !before.length || validActions === null || listed.length ? [] : ['no valid actions any more']),
  ];
}

interface Game {
  task: Task;
  played: string[];
  answers: string[];
  listed: readonly string[];
  /** Actions that the world is known to read: the oracle's. */
  known: readonly string[];
  done: boolean;
  /** Number of answers up to the end. */
  length: number;
}

class WorldFuzzer {
  readonly report: FuzzReport = { actions: 0, valid: 0, episodes: 0, successes: 0, problems: [] };
  private readonly slots = Array.from({ length: batch }, (_, k) => k);

  constructor(
    private readonly module: WorldModule,
    private readonly world: World,
    private readonly random: Random,
  ) {}

  private problem(game: Game, text: string): void {
    const { task, played } = game;
    const options = Object.fromEntries(
      Object.entries(task.options).map(([name, value]) => [name, String(JSON.stringify(value)).slice(0, 80)]),
    );
    if (this.report.problems.length < MOST_PROBLEMS)
      this.report.problems.push(
        `${task.world} ${task.id} ${JSON.stringify(options)} after ${JSON.stringify(played.slice(-3))}: ${text}`,
      );
  }

  private action({ listed, known, task }: Game): string {
    const { tools } = this.module;
    const offered = listed.length && (!known.length || this.random.chance(70)) ? listed : known;
    if (tools && this.random.chance(50))
      return toolAction(listed.length ? listed : known, tools as readonly ListedTool[], this.random);
    return fuzzAction(offered.length ? offered : [task.world], this.random);
  }

  private async begun(tasks: readonly Task[]): Promise<Game[]> {
    const starts = await this.world.reset(this.slots, tasks);
    const plans = this.module.hasOracle ? await this.world.oracle(this.slots) : [];
    return starts.map((start, k) => ({
      task: tasks[k],
      played: [],
      answers: [JSON.stringify(start)],
      listed: validActionsAfter(null, start) ?? [],
      known: plans[k] ?? [],
      done: start.done,
      length: 1,
    }));
  }

  private take(game: Game, action: string, answer: Feedback): void {
    const { listed, done } = game;
    if (!done) game.length++;
    game.played.push(action);
    game.answers.push(JSON.stringify(answer));
    // In a game of two, a chip is a reward of 1, and a hand of Kuhn poker is about two of them.
    const most = this.module.seats ? 2 : 1;
    for (const fault of faultsOf(answer, action, game, most)) this.problem(game, fault);
    game.listed = (validActionsAfter(listed, answer) ?? []).filter((each) => each);
    this.report.actions++;
    if (answer.valid) this.report.valid++;
    if (answer.done && !done && answer.reward >= this.module.successReward) this.report.successes++;
    game.done ||= answer.done;
  }

  /** Plays a batch of episodes. */
  async play(tasks: readonly Task[]): Promise<void> {
    const games = await this.begun(this.slots.map(() => this.random.pick(tasks)));
    for (let turn = 0; turn < turns; turn++) {
      const actions = games.map((game) => this.action(game));
      const answers = await this.world.step(this.slots, actions);
      for (const [k, answer] of answers.entries()) this.take(games[k], actions[k], answer);
    }
    for (const slot of this.slots.slice(0, 2))
      if (typeof (await this.world.view(slot)).text !== 'string') this.problem(games[slot], 'a view without text');
    if (this.module.replayable && this.random.below(replayed) === 0) await this.replay(games);
    this.report.episodes += batch;
  }

  /** Plays the same actions again, in other slots: the answers must be equal up to the end. */
  private async replay(games: readonly Game[]): Promise<void> {
    const turned = games.toReversed();
    const starts = await this.world.reset(
      this.slots,
      turned.map(({ task }) => task),
    );
    const again = starts.map((start) => [JSON.stringify(start)]);
    for (let turn = 0; turn < turns; turn++) {
      const answers = await this.world.step(
        this.slots,
        turned.map(({ played }) => played[turn]),
      );
      for (const [k, answer] of answers.entries()) again[k].push(JSON.stringify(answer));
    }
    for (const [k, game] of turned.entries()) {
      const at = game.answers.slice(0, game.length).findIndex((answer, turn) => again[k][turn] !== answer);
      if (at >= 0) this.problem(game, `a replay differs in answer ${at}: ${game.answers[at]} then ${again[k][at]}`);
    }
  }
}

/** Codes that a typed world is fuzzed with, one empty set of options for all others. */
async function codesOf({ codeOptions, codeTemplates }: WorldModule): Promise<WorldOptions[]> {
  const [option] = codeOptions ?? [];
  if (!option) return [{}];
  return Object.values((await codeTemplates?.()) ?? {}).map((code) => ({ [option]: code }));
}

/** Plays at least `actions` texts over tasks of both splits, under options drawn from the schema. */
export async function fuzzAnyWorld(
  module: WorldModule,
  world: World,
  actions: number,
  seed: number,
): Promise<FuzzReport> {
  const random = new Random(seed);
  const fuzzer = new WorldFuzzer(module, world, random);
  const codes = await codesOf(module);
  while (fuzzer.report.actions < actions && fuzzer.report.problems.length < MOST_PROBLEMS) {
    const options = drawOptions(module, random, random.pick(codes));
    const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
    for (let k = 0; k < batchesEach && tasks.length && fuzzer.report.actions < actions; k++) await fuzzer.play(tasks);
  }
  return fuzzer.report;
}
