/**
 * Replays a trajectory from a file in our world. Finds its task by the item number of AgentGym's server, by the task
 * stored in our own file format, or by the world's first observation. Then repeats each action, and lists the turns
 * whose observation differs.
 */
import { type Feedback, promptRulesOf, type Task, type World } from '../../envs/env.ts';
import type { AgentGymForm } from '../../envs/serving/form.ts';
import { originalTasks, taskOfItem } from '../../envs/serving/items.ts';
import { losslessForm } from '../../trajectories/files/lossless.ts';
import type { TrajectoryRecord } from '../../trajectories/files/record.ts';
import { actionIn, playOf, type RecordedPlay, UnmappedError } from '../../trajectories/recorded/record-play.ts';
import { worldModules } from '../../worlds/registry.ts';
import type { RecordedReplay, ReplayFrame } from '../protocol.ts';

const openingsAtOnce = 64;

/** Index of a world's tasks by first observation. It is extended batch by batch, until a search succeeds. */
class OpeningIndex {
  private readonly found = new Map<string, Task>();
  private indexed = 0;
  /** Searches run one after another, because they use the same slots. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly world: World,
    private readonly tasks: readonly Task[],
  ) {}

  /** First task with this observation; undefined if no task has it. */
  find(opening: string): Promise<Task | undefined> {
    const search = this.last.then(async () => {
      while (!this.found.has(opening) && this.indexed < this.tasks.length) await this.extend();
      return this.found.get(opening);
    });
    this.last = search.catch(() => {});
    return search;
  }

  private async extend(): Promise<void> {
    const some = this.tasks.slice(this.indexed, this.indexed + openingsAtOnce);
    const slots = some.map((_, i) => i + 1);
    const feedback = await this.world.reset(slots, some);
    feedback.forEach(({ observation }, i) => {
      const words = plain(observation);
      if (words && !this.found.has(words)) this.found.set(words, some[i]);
    });
    this.indexed += some.length;
  }
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

export class RecordedReplays {
  private readonly worlds = new Map<string, Promise<World>>();
  /** Index of each world's tasks. */
  private readonly openings = new Map<string, Promise<OpeningIndex>>();

  constructor(private readonly openWorld: (name: string) => Promise<World>) {}

  /**
   * `named`: the world, if the record does not name one. Throws UnmappedError with the reason if the task does not
   * exist here.
   */
  async replay(record: TrajectoryRecord, named: string | null = null): Promise<RecordedReplay> {
    const play = playOf(record);
    const own = ownTask(record);
    const world = await this.worldOf(own?.world ?? record.world ?? named);
    const task = own ?? (await this.taskOf(world, record, play));
    return { task, ...(await playedAgain(world, task, play)) };
  }

  async forget(name: string): Promise<void> {
    const world = this.worlds.get(name);
    this.worlds.delete(name);
    this.openings.delete(name);
    await (await world)?.close();
  }

  async close(): Promise<void> {
    for (const world of this.worlds.values()) await (await world).close();
  }

  private async worldOf(name: string | null): Promise<World> {
    if (name === null) throw new UnmappedError('The record names no world: choose the world it was played in.');
    const module = await moduleOf(name);
    if (!module) throw new UnmappedError(`The record's world ${name} does not exist here.`);
    const kind = module.connection.kind;
    if (kind !== 'wasm' && kind !== 'page')
      throw new UnmappedError(`${module.title} runs on a server, where actions are not repeated.`);
    const open = this.worlds.get(module.name) ?? this.openWorld(module.name);
    this.worlds.set(module.name, open);
    open.catch(() => this.worlds.delete(module.name));
    return open;
  }

  private async taskOf(world: World, record: TrajectoryRecord, { opening }: RecordedPlay): Promise<Task> {
    const { name, title } = world.describe();
    const form = await worldModules.find((each) => each.name === name)?.agentgym?.();
    const words = plain(opening);
    if (form && record.item !== null) {
      const task = await taskOfItem(world, form, record.item).catch(() => null);
      if (task && beginsAlike(await firstObservation(world, task), words)) return task;
    }
    const found = form && (await (await this.indexOf(world, form)).find(words));
    if (found) return found;
    throw new UnmappedError(
      record.item === null
        ? `The record names no item, and no task of ${title} has its first observation.`
        : `Item ${record.item} of ${title} has another first observation here, and no other task has the file's.`,
    );
  }

  private indexOf(world: World, form: AgentGymForm): Promise<OpeningIndex> {
    const { name } = world.describe();
    const known = this.openings.get(name) ?? originalTasks(world, form).then((tasks) => new OpeningIndex(world, tasks));
    this.openings.set(name, known);
    known.catch(() => this.openings.delete(name));
    return known;
  }
}

/** Finds a world by its own name or by that of AgentGym's server. */
async function moduleOf(name: string) {
  const own = worldModules.find((each) => each.name === name);
  if (own) return own;
  for (const module of worldModules) if ((await module.agentgym?.())?.server === name) return module;
  return null;
}

/** The task stored in our own format, with its options; null: the record has another format. */
function ownTask({ source }: TrajectoryRecord): Task | null {
  const trajectory = source?.form === losslessForm ? (source.fields.trajectory as { task?: Task } | null) : null;
  return trajectory?.task ?? null;
}

async function firstObservation(world: World, task: Task): Promise<string> {
  const [{ observation }] = await world.reset([0], [task]);
  return plain(observation);
}

/** In a file, the first message may contain an instruction before the observation. */
const beginsAlike = (ours: string, theirs: string) => ours !== '' && (theirs === ours || theirs.endsWith(ours));

async function playedAgain(world: World, task: Task, play: RecordedPlay): Promise<Omit<RecordedReplay, 'task'>> {
  const { reply: rule, successReward } = promptRulesOf(world.describe(), task);
  const [first] = await world.reset([0], [task]);
  const frames: ReplayFrame[] = [{ turn: -1, action: '', observation: first.observation, view: await world.view(0) }];
  const differs: number[] = [];
  let last: Feedback = first;
  for (const [turn, { reply, answer }] of play.turns.entries()) {
    if (last.done || last.failure !== undefined) break;
    const action = actionIn(reply, rule);
    [last] = await world.step([0], [action]);
    if (answer !== null && !beginsAlike(plain(last.observation), plain(answer))) differs.push(turn);
    frames.push({ turn, action, observation: last.observation, view: await world.view(0) });
  }
  return { frames, differs, reward: last.reward, success: last.done && last.reward >= successReward };
}
