/**
 * Plays mutated typed worlds beside an intact one in the same interpreter, and checks that each failure has a name, that
 * the intact world answers as it does alone, and that nothing of the program around it changes.
 */
import { type Feedback, type Task, type World, WorldError } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { OwnWorld } from '../../src/worlds/own-world/world.ts';

/** Outcome of a mutated world: refused when its tasks are listed, an episode failed, or played. */
export type WorldVerdict = 'refused' | 'failed' | 'played';

/** Loop passes of a call: a tenth of a session's, since an endless loop takes all of them. */
const passes = 1_000_000;

const turns = 8;
/** Slots of the mutated world; the slot after them has the intact one. */
const mutants = [0, 1];
const beside = mutants.length;

/** Names that code could leave behind on the host. */
const surroundings = () =>
  [globalThis, Object.prototype, Array.prototype, Function.prototype, String.prototype, JSON, Math]
    .map((each) => Reflect.ownKeys(each).length)
    .join();

const named = /^world\.js/;

function formProblem({ observation, reward, done, valid, validActions, failure }: Feedback): string | null {
  if (failure !== undefined) return named.test(failure) && done ? null : `a failure without a name: ${failure}`;
  if (typeof observation !== 'string' || observation.length > 20_000) return 'a text of another form';
  if (!Number.isFinite(reward)) return `the reward ${reward}`;
  if (typeof done !== 'boolean' || typeof valid !== 'boolean') return 'done or valid of another form';
  const texts = validActions ?? [];
  return texts.every((each) => typeof each === 'string' && /^[^\n]+$/.test(each)) ? null : 'actions of another form';
}

const actionOf = (feedback: readonly Feedback[], slot: number, turn: number) =>
  feedback[slot].validActions?.length ? randomAction(feedback[slot].validActions!, 1, slot, turn) : 'look';

export class WorldFuzz {
  private world: World | null = null;
  private expected: string[] | null = null;
  private task!: Task;

  constructor(private readonly intact: string) {}

  private async opened(): Promise<World> {
    if (this.world) return this.world;
    this.world = await OwnWorld.open({}, { passes });
    [this.task] = await this.world.tasks({ code: this.intact }, 'train');
    if (!this.expected) this.expected = (await this.played([], this.world)).alone;
    return this.world;
  }

  /** Plays both beside each other. `alone`: texts of the intact world. */
  private async played(tasks: readonly Task[], world: World) {
    const slots = tasks.length ? [...mutants, beside] : [beside];
    const all = await world.reset(slots, [...tasks.slice(0, 2), this.task]);
    const problems = all.map(formProblem);
    let failed = all.some(({ failure }) => failure !== undefined);
    const alone = [all.at(-1)!.observation];
    for (let turn = 0; turn < turns; turn++) {
      const live = [...slots.keys()].filter((k) => !all[k].done);
      const actions = live.map((k) => (slots[k] === beside ? 'take 1' : actionOf(all, k, turn)));
      const answers = await world.step(
        live.map((k) => slots[k]),
        actions,
      );
      answers.forEach((answer, i) => {
        const k = live[i];
        problems.push(formProblem(answer));
        failed ||= answer.failure !== undefined;
        all[k] = { ...answer, validActions: answer.validActions ?? all[k].validActions };
        if (slots[k] === beside) alone.push(answer.observation);
      });
      if (turn === 2) await this.asked(world, slots);
    }
    return { alone, failed, problem: problems.find((each) => each !== null) ?? null };
  }

  /** Plan, advice and view of all slots. */
  private async asked(world: World, slots: readonly number[]): Promise<void> {
    await world.oracle(slots);
    await world.advise!(slots);
    for (const slot of slots) {
      const view = await world.view(slot);
      if (view.kind !== 'own-world' || typeof view.text !== 'string') throw new Error('a view of another form');
    }
  }

  /** Throws an Error that describes what escaped. */
  async play(code: string): Promise<WorldVerdict> {
    const world = await this.opened();
    const before = surroundings();
    const verdict = await this.verdict(code, world).catch(async (error: Error) => {
      // A broken interpreter is replaced, as a session's worker is.
      this.world = null;
      await world.close().catch(() => {});
      throw error;
    });
    if (surroundings() !== before) throw new Error('the program around it has changed');
    return verdict;
  }

  private async verdict(code: string, world: World): Promise<WorldVerdict> {
    let tasks: Task[];
    try {
      tasks = await world.tasks({ code }, 'train');
    } catch (error) {
      if (error instanceof WorldError && (named.test(error.message) || code === '')) return 'refused';
      throw error;
    }
    const { alone, failed, problem } = await this.played([tasks[0], tasks.at(-1)!], world);
    if (problem) throw new Error(problem);
    if (alone.join('\n') !== this.expected!.join('\n')) throw new Error('the world beside it answered otherwise');
    return failed ? 'failed' : 'played';
  }

  async close(): Promise<void> {
    await this.world?.close();
  }
}
