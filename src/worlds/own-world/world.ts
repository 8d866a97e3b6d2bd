/**
 * Client of a typed world: the World interface over one interpreter in this process. Failures of the code end their
 * episode by name; the others go on.
 */
import {
  type Advice,
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import type { ConnectionSettings } from '../../envs/module.ts';
import { codeHash } from '../../sandbox/code-hash.ts';
import { ResidentInterpreter, type ResidentLimits } from '../../sandbox/resident.ts';
import type { Answer } from './answers.ts';
import { ownDescription } from './description.ts';
import { firstCode, parseOwnOptions } from './options.ts';
import { Episode, Program, passesAfter, WorldCodeError } from './program.ts';
import type { OwnView } from './view-data.ts';

/** First id of the held-out tasks. */
export const FIRST_HELD_OUT = 1_000_000;

/** Maximum number of codes that are kept compiled: a mixture has at most eight. */
const mostPrograms = 16;

/** Use `OwnWorld.open()`. */
export class OwnWorld implements World {
  private readonly programs = new Map<string, Program>();
  private readonly episodes = new Map<number, Episode | WorldCodeError>();

  private constructor(
    private readonly interpreter: ResidentInterpreter,
    private readonly allowed: ConnectionSettings['allowedCode'],
  ) {}

  /** `limits`: other limits of a call, for checks. */
  static async open(settings: ConnectionSettings = {}, limits: Partial<ResidentLimits> = {}): Promise<OwnWorld> {
    return new OwnWorld(await ResidentInterpreter.open(limits), settings.allowedCode);
  }

  describe(): WorldDescription {
    return ownDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseOwnOptions(given);
    const program = await this.program(options.code);
    const texts = this.refusing(() => program.tasks(options.seed, options.heldOut))[split];
    const first = split === 'train' ? 0 : FIRST_HELD_OUT;
    const shared = options as unknown as WorldOptions;
    return texts.map((text, k) => ({
      world: ownDescription.name,
      id: first + k,
      options: shared,
      strata: strataOf(JSON.parse(text)),
    }));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const programs = await Promise.all(tasks.map(({ options }) => this.program(parseOwnOptions(options).code)));
    let slow = 0;
    return slots.map((slot, k) => {
      this.end(slot);
      const outcome = this.begin(programs[k], tasks[k], passesAfter(slow));
      this.episodes.set(slot, outcome instanceof WorldCodeError ? outcome : outcome.episode);
      if (!(outcome instanceof WorldCodeError)) return feedbackOf(outcome.answer);
      if (outcome.limit === 'passes') slow++;
      if (outcome.limit === 'memory') programs[k].sweep();
      return failed(outcome);
    });
  }

  private begin(program: Program, task: Task, passes?: number) {
    const { seed, heldOut } = parseOwnOptions(task.options);
    const { train, test } = this.refusing(() => program.tasks(seed, heldOut));
    const text = task.id >= FIRST_HELD_OUT ? test[task.id - FIRST_HELD_OUT] : train[task.id];
    if (text === undefined)
      throw new WorldError(
        `The world has no task ${task.id}: its training tasks are 0 to ${train.length - 1}, its held-out tasks ${FIRST_HELD_OUT} to ${FIRST_HELD_OUT + test.length - 1}.`,
      );
    return attempted(() => Episode.begin(program, text, seed, passes));
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    let slow = 0;
    return slots.map((slot, k) => {
      const episode = this.episodes.get(slot);
      if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
      if (episode instanceof WorldCodeError) return failed(episode);
      const answer = attempted(() => episode.step(actions[k], passesAfter(slow)));
      if (!(answer instanceof WorldCodeError)) return feedbackOf(answer);
      if (answer.limit === 'passes') slow++;
      this.end(slot);
      this.episodes.set(slot, answer);
      if (answer.limit === 'memory') episode.program.sweep();
      return failed(answer);
    });
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return this.asked(slots, (episode, passes) => episode.plan(passes));
  }

  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    return this.asked(slots, (episode, passes) => episode.advice(passes)).map((found) => {
      const action = Array.isArray(found) ? found[0] : found;
      return typeof action === 'string' ? { action } : null;
    });
  }

  /** Results of the live episodes; null for a failure. After several slow ones each has less time. */
  private asked<T>(slots: readonly number[], act: (episode: Episode, passes?: number) => T): (T | null)[] {
    let slow = 0;
    return slots.map((slot) => {
      const episode = this.live(slot);
      if (!episode) return null;
      const found = attempted(() => act(episode, passesAfter(slow)));
      if (!(found instanceof WorldCodeError)) return found;
      if (found.limit === 'passes') slow++;
      return null;
    });
  }

  async view(slot: number): Promise<OwnView> {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    const shown = episode instanceof WorldCodeError ? episode : attempted(() => episode.view());
    if (!(shown instanceof WorldCodeError)) return shown;
    return { kind: 'own-world', text: shown.message, parts: [{ kind: 'lines', lines: [shown.message] }] };
  }

  /** `facts`: functions that the code of a slot's episode has. `oracle`: a failure of its oracle, as a text. */
  async inspect(slot: number, what: string): Promise<Json> {
    if (what !== 'oracle') throw new WorldError(`A typed world has nothing named ${what} to inspect.`);
    const plan = attempted(() => this.live(slot)?.plan() ?? null);
    return plan instanceof WorldCodeError ? plan.message : null;
  }

  async close(): Promise<void> {
    for (const slot of [...this.episodes.keys()]) this.end(slot);
    for (const program of this.programs.values()) program.dispose();
    this.programs.clear();
  }

  private live(slot: number): Episode | null {
    const episode = this.episodes.get(slot);
    return episode instanceof Episode ? episode : null;
  }

  private end(slot: number): void {
    this.live(slot)?.dispose();
    this.episodes.delete(slot);
  }

  private async program(code: string): Promise<Program> {
    const known = this.programs.get(code);
    if (known) return known;
    if (this.allowed && code !== firstCode && !this.allowed.includes(await codeHash(code)))
      throw new WorldError(
        'The code of this world came with the experiment and has not been allowed here. Read it in the setup, beside the world, and allow it.',
      );
    if (this.programs.size >= mostPrograms) this.forgetOne();
    const program = new Program(this.interpreter, code);
    this.programs.set(code, program);
    return program;
  }

  /** Frees the oldest code without an episode. */
  private forgetOne(): void {
    const used = new Set([...this.episodes.values()].map((each) => each instanceof Episode && each.program));
    const idle = [...this.programs.values()].find((each) => !used.has(each));
    if (!idle) return;
    this.programs.delete(idle.code);
    idle.dispose();
  }

  /** A failure of `tasks` concerns the whole world, so the call is refused with its message. */
  private refusing<T>(act: () => T): T {
    const result = attempted(act);
    if (result instanceof WorldCodeError) throw new WorldError(result.message);
    return result;
  }
}

/** The result, or the code's failure. */
function attempted<T>(act: () => T): T | WorldCodeError {
  try {
    return act();
  } catch (error) {
    if (error instanceof WorldCodeError) return error;
    throw error;
  }
}

const feedbackOf = ({ text, reward, done, valid, actions }: Answer): Feedback => ({
  observation: text,
  reward,
  done,
  valid: valid ?? true,
  validActions: actions === 0 ? null : (actions ?? undefined),
});

const failed = ({ message }: WorldCodeError): Feedback => ({
  observation: '',
  reward: 0,
  done: true,
  valid: false,
  validActions: null,
  failure: message,
});

/** Groups by which success is reported: a task's `level`, if it is a short text or a number. */
function strataOf(task: Json): Task['strata'] {
  const level = task !== null && typeof task === 'object' && !Array.isArray(task) ? task.level : undefined;
  const short = typeof level === 'number' || (typeof level === 'string' && level.length <= 40);
  return short ? { level: level as number | string } : {};
}
