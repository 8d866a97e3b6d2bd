/**
 * Check-up of a world before training: the random player and the oracle play it, and what would keep a policy from
 * learning is found. The texts of the findings are in the page and the command line.
 */
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from './env.ts';
import { randomAction } from './random-player.ts';

/** A finding, with a number or a text of the world. Notes do not keep a policy from learning. */
export interface CheckFinding {
  kind:
    | 'fails'
    | 'never-ends'
    | 'unreachable'
    | 'same-reward'
    | 'oracle-fails'
    | 'easy'
    | 'no-actions'
    | 'unlisted'
    | 'refused'
    | 'not-deterministic'
    | 'overlap'
    | 'few-tasks'
    | 'long-text'
    | 'no-oracle';
  detail: string;
  note: boolean;
}

/** Results of a player over its episodes. */
export interface CheckedPlayer {
  episodes: number;
  /** Share of the episodes whose last reward is a success. */
  success: number;
  /** Mean number of turns. */
  turns: number;
  /** Turns of the quickest quarter of the successes; null: there was none. */
  quickTurns: number | null;
}

/** Maximum number of turns of an episode: a number, or the turns of the oracle's plan plus some. */
export type CheckedHorizon = number | { oraclePlus: number };

export interface CheckUp {
  tasks: { train: number; test: number };
  /** Horizon of both players' results. A task without a plan gets `turns` of the settings. */
  horizon: CheckedHorizon;
  chance: CheckedPlayer;
  /** null: the world has no oracle, or none with a plan. */
  oracle: CheckedPlayer | null;
  findings: CheckFinding[];
  /** All different texts and actions that were seen. */
  texts: ReadonlySet<string>;
  /** First texts, and for each episode its actions and the texts after the first. */
  openings: string[];
  episodes: { texts: string[]; actions: string[] }[];
}

export interface CheckSettings {
  /** Episodes of each player. */
  episodes: number;
  /** Maximum number of turns that count for the results, as in training. */
  horizon: CheckedHorizon;
  /** Turns after which an episode is given up. */
  turns: number;
  /** Maximum number of characters of a text before it is called long. */
  longText: number;
}

const checkSettings: Omit<CheckSettings, 'horizon'> = { episodes: 200, turns: 100, longText: 2000 };

const slotsAtOnce = 64;
/** Episodes played twice, and held-out tasks compared with those of training. */
const compared = 16;

interface Played {
  task: Task;
  texts: string[];
  rewards: number[];
  actions: string[];
  done: boolean;
  failure: string | null;
  /** Action that was not on the list before it; listed action that was refused. */
  unlisted: string | null;
  refused: string | null;
  listed: boolean;
  /** Actions after the reset. */
  first: string;
}

type Chooser = (played: Played, actions: readonly string[] | null) => string | undefined;

const spread = (tasks: readonly Task[], count: number): Task[] =>
  tasks.length === 0
    ? []
    : Array.from({ length: count }, (_, k) => tasks[Math.floor((k * tasks.length) / count) % tasks.length]);

/** Plays tasks in batches, each for at most `limitOf` turns. `chooserOf` may ask the world for plans after a reset. */
async function play(
  world: World,
  tasks: readonly Task[],
  limitOf: (task: Task) => number,
  chooserOf: (slots: readonly number[], played: readonly Played[]) => Promise<Chooser>,
): Promise<Played[]> {
  const all: Played[] = [];
  for (let first = 0; first < tasks.length; first += slotsAtOnce) {
    const some = tasks.slice(first, first + slotsAtOnce);
    const played = some.map(
      (task): Played => ({
        ...{ task, texts: [], rewards: [], actions: [], done: false, failure: null },
        ...{ unlisted: null, refused: null, listed: false, first: '' },
      }),
    );
    await playBatch(world, played, limitOf, chooserOf);
    all.push(...played);
  }
  return all;
}

async function playBatch(
  world: World,
  played: readonly Played[],
  limitOf: (task: Task) => number,
  chooserOf: (slots: readonly number[], played: readonly Played[]) => Promise<Chooser>,
): Promise<void> {
  const slots = [...played.keys()];
  const lists: (readonly string[] | null)[] = slots.map(() => null);
  const take = (k: number, feedback: Feedback, action?: string) => {
    lists[k] = note(played[k], feedback, lists[k], action);
  };
  (
    await world.reset(
      slots,
      played.map(({ task }) => task),
    )
  ).forEach((feedback, k) => take(k, feedback));
  const choose = await chooserOf(slots, played);
  const isOver = ({ task, done, failure }: Played, turn: number) => done || failure !== null || turn >= limitOf(task);
  for (let turn = 0; ; turn++) {
    const moves = slots.flatMap((k) => {
      const action = isOver(played[k], turn) ? undefined : choose(played[k], lists[k]);
      return action === undefined ? [] : [{ k, action }];
    });
    if (moves.length === 0) return;
    const answers = await world.step(
      moves.map(({ k }) => k),
      moves.map(({ action }) => action),
    );
    moves.forEach(({ k, action }, i) => take(k, answers[i], action));
  }
}

/** Records an answer; returns the list of actions after it. */
function note(played: Played, feedback: Feedback, before: readonly string[] | null, action?: string) {
  const after = validActionsAfter(before, feedback);
  if (feedback.failure !== undefined) played.failure = feedback.failure;
  else played.texts.push(feedback.observation);
  played.listed ||= after !== null;
  if (action === undefined) played.first = (after ?? []).join('\n');
  if (action === undefined || feedback.failure !== undefined) return after;
  played.actions.push(action);
  played.rewards.push(feedback.reward);
  played.done = feedback.done;
  if (before && !before.includes(action)) played.unlisted ??= action;
  else if (before && !feedback.valid) played.refused ??= action;
  return after;
}

const atRandom = async (): Promise<Chooser> => (played, actions) =>
  actions?.length ? randomAction(actions, 1, played.task.id, played.actions.length) : undefined;

const byOracle =
  (world: World) =>
  async (slots: readonly number[], played: readonly Played[]): Promise<Chooser> => {
    const plans = await world.oracle(slots);
    const planOf = new Map(played.map((each, k) => [each, plans[k] ?? []]));
    return (each) => planOf.get(each)![each.actions.length];
  };

/** Turns of the oracle's plan for each task that it ended; a task may be played several times. */
function planLengths(planned: readonly Played[]): ReadonlyMap<Task, number> {
  return new Map(planned.flatMap(({ task, actions, failure }) => (failure ? [] : [[task, actions.length] as const])));
}

function playerOf(played: readonly Played[], success: number): CheckedPlayer {
  const own = played.filter(({ failure }) => failure === null);
  const mean = (of: (each: Played) => number) => own.reduce((sum, each) => sum + of(each), 0) / Math.max(1, own.length);
  const isSuccess = ({ rewards }: Played) => (rewards.at(-1) ?? 0) >= success;
  const lengths = own
    .filter(isSuccess)
    .map(({ actions }) => actions.length)
    .sort((a, b) => a - b);
  return {
    episodes: own.length,
    success: mean((each) => (isSuccess(each) ? 1 : 0)),
    turns: mean(({ actions }) => actions.length),
    quickTurns: lengths[Math.floor(lengths.length / 4)] ?? null,
  };
}

/**
 * Plays some tasks again with the same actions, and requests views and plans in between. Returns the first text that
 * differs from the first play, or null.
 */
async function differing(world: World, played: readonly Played[]): Promise<string | null> {
  for (const each of spreadPlayed(played)) {
    const [opening] = await world.reset([0], [each.task]);
    const texts = [opening.observation];
    for (const action of each.actions.slice(0, 12)) {
      await world.view(0);
      await world.oracle([0]);
      texts.push((await world.step([0], [action]))[0].observation);
    }
    const k = texts.findIndex((text, i) => text !== each.texts[i]);
    if (k >= 0) return texts[k];
  }
  return null;
}

const spreadPlayed = (played: readonly Played[]): Played[] =>
  played.filter(({ failure }, k) => failure === null && k % Math.max(1, Math.floor(played.length / compared)) === 0);

/** Share of the held-out tasks that look, answer and are solved as a task of training is. */
async function overlapping(world: World, train: readonly Task[], test: readonly Task[]): Promise<number> {
  const sameChoices: Chooser = (each, actions) =>
    actions?.length ? randomAction(actions, 1, 0, each.actions.length) : undefined;
  const signatures = async (tasks: readonly Task[]) => {
    const plans = new Map<Played, string[] | null>();
    const played = await play(
      world,
      tasks,
      () => 12,
      async (slots, begun) => {
        (await world.oracle(slots)).forEach((plan, k) => plans.set(begun[k], plan));
        return sameChoices;
      },
    );
    return played.map((each) => JSON.stringify([each.texts, each.actions, each.first, plans.get(each)]));
  };
  const of = new Set(await signatures(spread(train, Math.min(train.length, 512))));
  const held = await signatures(spread(test, Math.min(test.length, 64)));
  return held.filter((each) => of.has(each)).length / Math.max(1, held.length);
}

/** Plays the world and reports. Throws what its `tasks` throws. */
export async function checkUp(
  world: World,
  options: WorldOptions,
  given: Partial<CheckSettings> & Pick<CheckSettings, 'horizon'>,
): Promise<CheckUp> {
  const settings: CheckSettings = { ...checkSettings, ...given };
  const { horizon, turns } = settings;
  const { successReward } = world.describe();
  const [train, test] = [await world.tasks(options, 'train'), await world.tasks(options, 'test')];
  const tasks = spread([...train, ...test], settings.episodes);
  const fixed = typeof horizon === 'number' ? horizon : turns;
  const planned = (await play(world, tasks, () => fixed, byOracle(world))).filter(
    ({ actions, failure }) => actions.length > 0 || failure !== null,
  );
  const plans = planLengths(planned);
  const limitOf = (task: Task) =>
    typeof horizon === 'number' ? horizon : (plans.get(task) ?? turns) + horizon.oraclePlus;
  const random = await play(world, tasks, limitOf, atRandom);
  const all = [...random, ...planned];
  const chance = playerOf(random, successReward);
  const oracle = planned.length ? playerOf(planned, successReward) : null;
  const findings = findingsOf(random, planned, { chance, oracle }, settings);
  // If no episode has ended, a few are played again with more turns, because the horizon may have been too short.
  if (!all.some(({ done, failure }) => done || failure !== null)) {
    const longer = await play(world, tasks.slice(0, compared), () => turns, atRandom);
    if (!longer.some(({ done }) => done)) findings.push({ kind: 'never-ends', detail: `${turns}`, note: false });
  }
  const differs = await differing(world, random);
  if (differs !== null) findings.push({ kind: 'not-deterministic', detail: differs.slice(0, 200), note: false });
  const overlap = await overlapping(world, train, test);
  if (overlap >= 0.5) findings.push({ kind: 'overlap', detail: `${Math.round(100 * overlap)}`, note: false });
  if (train.length < 10) findings.push({ kind: 'few-tasks', detail: `${train.length}`, note: true });
  return {
    tasks: { train: train.length, test: test.length },
    ...{ horizon, chance, oracle, findings },
    texts: new Set(all.flatMap(({ texts, actions }) => [...texts, ...actions])),
    openings: all.flatMap(({ texts }) => texts.slice(0, 1)),
    episodes: all.map(({ texts, actions }) => ({ texts: texts.slice(1), actions })),
  };
}

function findingsOf(
  random: readonly Played[],
  planned: readonly Played[],
  { chance, oracle }: Pick<CheckUp, 'chance' | 'oracle'>,
  { longText }: CheckSettings,
): CheckFinding[] {
  const all = [...random, ...planned];
  const found: CheckFinding[] = [];
  const add = (kind: CheckFinding['kind'], detail: string | number = '', asNote = false) =>
    void found.push({ kind, detail: String(detail), note: asNote });
  const failure = all.find((each) => each.failure !== null)?.failure;
  if (failure) add('fails', failure);
  const ending = all.filter((each) => each.failure === null);
  const rewards = new Set(ending.flatMap((each) => each.rewards));
  const succeeds = chance.success > 0 || (oracle?.success ?? 0) > 0;
  if (rewards.size === 1) add('same-reward', [...rewards][0]);
  else if (ending.length && !succeeds) add('unreachable', ending.length, oracle === null);
  if (succeeds && oracle && oracle.success < 1) add('oracle-fails', Math.round(100 * oracle.success), true);
  if (chance.success >= 0.9) add('easy', Math.round(100 * chance.success));
  if (!all.some(({ listed }) => listed)) add('no-actions');
  const unlisted = planned.find((each) => each.unlisted !== null)?.unlisted;
  if (unlisted) add('unlisted', unlisted);
  const refused = all.find((each) => each.refused !== null)?.refused;
  if (refused) add('refused', refused, true);
  const longest = Math.max(0, ...all.flatMap(({ texts }) => texts.map(({ length }) => length)));
  if (longest > longText) add('long-text', longest);
  if (!oracle) add('no-oracle', '', true);
  return found;
}
