/**
 * The code of a typed world: its tasks, and its episodes, each a fresh copy of the code in one frozen realm. Nothing is
 * remembered from one episode to the next, and the same actions always give the same answers.
 */
import { hashText } from '../../envs/hash.ts';
import { CodeError, SandboxError, SandboxMemoryError, SandboxTimeoutError } from '../../sandbox/errors.ts';
import type { Resident, ResidentInterpreter } from '../../sandbox/resident.ts';
import { type Answer, AnswerError, readAnswer, readPlan, readTasks, readViewValue } from './answers.ts';
import { most, worldFile } from './bounds.ts';
import prelude from './realm.js?raw';
import { type OwnView, readView, ViewFormError } from './view-data.ts';

/** A failure of the code: its message names the file, the line, the function, the value and the bound. */
export class WorldCodeError extends Error {
  override name = 'WorldCodeError';
  constructor(
    message: string,
    /** Line of the code, from 1, if it is known. */
    readonly line: number | null,
    /** The limit that the code exceeded, if it is one of those. */
    readonly limit: 'passes' | 'memory' | null,
  ) {
    super(message);
  }
}

/** Loop passes and calls of a call, after several worlds of the same batch have exceeded the whole limit. */
const fewPasses = 500_000;

/** Failure of an episode whose realm was replaced. */
const memoryGone =
  'another episode of this code used up its memory, so that this one ended too. Keep less in variables.';

/** Maximum number of turns for which an oracle of single actions is followed to get its plan. */
const longestPlan = 200;

/** Line of a function's definition in the code, from 1; null if it is not found. */
function lineOf(code: string, name: string): number | null {
  const index = code
    .split('\n')
    .findIndex((line) => new RegExp(`\\b(function\\*?\\s+${name}\\b|${name}\\s*=)`).test(line));
  return index < 0 ? null : index + 1;
}

/** Names the line of the function that a message without a place is about. */
function withLine(code: string, error: Error): WorldCodeError {
  const limit = error instanceof SandboxTimeoutError ? 'passes' : error instanceof SandboxMemoryError ? 'memory' : null;
  if (error instanceof SandboxError && error.place) return new WorldCodeError(error.message, error.place.line, limit);
  const plain = error.message
    .replace(new RegExp(`^${worldFile}: `), '')
    .replace(/^(\w+\(\): )(Type|Range)Error: /, '$1');
  const text = plain.replace(/^(reset|step)\(\): (?=validActions\(\))/, '');
  const line = lineOf(code, /(\w+)\(\)/.exec(text)?.[1] ?? '');
  return new WorldCodeError(`${worldFile}${line ? `, line ${line}` : ''}: ${text}`, line, limit);
}

/** Functions and fields of a code. */
export interface CodeFacts {
  /** `tasks` has a second parameter: it divides its tasks itself. */
  splits: boolean;
  oracle: boolean;
  view: boolean;
}

/** A copy of the code. After a failure it must be ended. */
interface Copy {
  call(name: string, args: string, passes?: number): string;
  end(): void;
}

export class Program {
  private readonly kept = new Map<number, { train: string[]; test: string[] }>();
  private known: CodeFacts | null = null;
  private realm: Resident | null = null;
  private next = 0;

  constructor(
    private readonly interpreter: ResidentInterpreter,
    readonly code: string,
  ) {}

  /** Runs an act on the code. Its failures become WorldCodeErrors; a broken sandbox stays what it is. */
  attempt<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof AnswerError || error instanceof ViewFormError) throw withLine(this.code, error);
      if (error instanceof CodeError || (error instanceof SandboxError && error.name !== 'SandboxBrokenError'))
        throw withLine(this.code, error);
      throw error;
    }
  }

  /** The realm, made for the first copy. */
  private get loaded(): Resident {
    const { code, interpreter } = this;
    this.realm ??= interpreter.load({ prelude, code, file: worldFile, values: { most } });
    return this.realm;
  }

  /** A fresh copy of the code, as a function that calls one of its functions with arguments and returns JSON. */
  copy(seed: number, passes?: number): Copy {
    const realm = this.loaded;
    const id = this.next++;
    realm.call('begin', JSON.stringify([id, null, seed]), passes);
    return {
      call: (name, args, within) => {
        if (this.realm !== realm) throw new SandboxMemoryError(`${worldFile}: ${name}(): ${memoryGone}`);
        return realm.call(name, `[${id},${args}]`, within);
      },
      end: () => {
        if (this.realm === realm) realm.call('end', `[${id}]`);
      },
    };
  }

  /**
   * Frees memory after an episode exceeded its own. If none can be freed, the realm is replaced, and the code's other
   * episodes fail by name at their next call.
   */
  sweep(): void {
    try {
      this.loaded.call('sweep', '[0]');
    } catch (error) {
      if (!(error instanceof SandboxError) || error.name === 'SandboxBrokenError') throw error;
      this.dispose();
    }
  }

  /** Refuses to go on after the loop passes or the time of a single call. */
  meter(passes = this.interpreter.limits.passes): () => void {
    const { interpreter } = this;
    const ms = interpreter.msOf(passes);
    const [end, until] = [interpreter.used + passes, performance.now() + ms];
    return () => {
      const isLong = interpreter.used > end;
      if (!isLong && performance.now() <= until) return;
      const limit = isLong ? `${passes.toLocaleString('en')} loop passes and calls` : `${ms / 1000} s`;
      throw withLine(this.code, new SandboxTimeoutError(`oracle(): its plan took more than ${limit}.`));
    };
  }

  dispose(): void {
    this.realm?.dispose();
    this.realm = null;
  }

  facts(): CodeFacts {
    if (!this.known) this.tasks(1, 20);
    return this.known!;
  }

  /** Tasks of both splits as JSON texts, without repeats. Throws WorldCodeError. */
  tasks(seed: number, heldOut: number): { train: string[]; test: string[] } {
    const key = seed * 100 + heldOut;
    const found = this.kept.get(key) ?? this.attempt(() => this.makeTasks(seed, heldOut));
    this.kept.set(key, found);
    return found;
  }

  private makeTasks(seed: number, heldOut: number): { train: string[]; test: string[] } {
    const listed = (split: 'train' | 'test') => {
      const copy = this.copy(seed);
      try {
        this.known = JSON.parse(copy.call('about', 'null')) as CodeFacts;
        return readTasks(copy.call('tasks', JSON.stringify([seed, split])));
      } finally {
        copy.end();
      }
    };
    const train = listed('train');
    if (this.known!.splits) return { train, test: listed('test') };
    if (train.length === 1) return { train, test: train };
    const order = train
      .map((task, k) => ({ k, hash: hashText(`${seed} ${task}`) }))
      .sort((a, b) => a.hash - b.hash || a.k - b.k);
    const count = Math.min(train.length - 1, Math.max(1, Math.round((train.length * heldOut) / 100)));
    const out = new Set(order.slice(0, count).map(({ k }) => k));
    return { train: train.filter((_, k) => !out.has(k)), test: train.filter((_, k) => out.has(k)) };
  }
}

/** An episode of a typed world. */
export class Episode {
  private readonly copy: Copy;
  private readonly taken: string[] = [];
  private listed: readonly string[] | null = null;
  private last = '';
  private isOver = false;

  private constructor(
    readonly program: Program,
    private readonly task: string,
    private readonly seed: number,
    passes?: number,
  ) {
    this.copy = program.attempt(() => program.copy(hashText(`${seed} ${task}`), passes));
  }

  static begin(program: Program, task: string, seed: number, passes?: number): { episode: Episode; answer: Answer } {
    const episode = new Episode(program, task, seed, passes);
    try {
      return { episode, answer: episode.call('reset', `[${task}]`, passes) };
    } catch (error) {
      episode.dispose();
      throw error;
    }
  }

  /**
   * Takes an action. `valid` is then known: the code's own, or else whether the list has the action. After the end the
   * code is not called: it need not know that an action may still arrive.
   */
  step(action: string, passes?: number): Answer {
    if (this.isOver) return { text: 'The episode is over.', reward: 0, done: true, valid: false, actions: 0 };
    const before = this.listed;
    const answer = this.call('step', JSON.stringify([action]), passes);
    this.taken.push(action);
    return { ...answer, valid: answer.valid ?? (before ? before.includes(action) : true) };
  }

  private call(name: 'reset' | 'step', input: string, passes?: number): Answer {
    const answer = this.program.attempt(() => readAnswer(name, this.copy.call(name, input, passes)));
    if (answer.actions !== 0) this.listed = answer.actions;
    this.last = answer.text;
    this.isOver = answer.done;
    return answer;
  }

  /** The oracle's remaining actions; null if it has no plan. */
  plan(passes?: number): string[] | null {
    const first = this.advice(passes);
    return typeof first === 'string' ? this.followed(passes) : first;
  }

  /** Result of oracle(): its remaining actions, or its next one. */
  advice(passes?: number): string[] | string | null {
    return this.program.attempt(() => readPlan(this.copy.call('oracle', 'null', passes)));
  }

  /** Plays a copy of the episode with the single actions of an oracle, all under the limits of one call. */
  private followed(passes?: number): string[] | null {
    const check = this.program.meter(passes);
    const { episode } = Episode.begin(this.program, this.task, this.seed, passes);
    try {
      for (const action of this.taken) {
        episode.step(action, passes);
        check();
      }
      const plan: string[] = [];
      while (plan.length < longestPlan) {
        const next = episode.advice(passes);
        if (typeof next !== 'string') return plan.length ? plan : null;
        plan.push(next);
        if (episode.step(next, passes).done) return plan;
        check();
      }
      return plan;
    } finally {
      episode.dispose();
    }
  }

  view(): OwnView {
    return this.program.attempt(() => readView(readViewValue(this.copy.call('view', 'null')), this.last));
  }

  dispose(): void {
    this.copy.end();
  }
}

/** Passes of a call after `slow` worlds of its batch have exceeded theirs. */
export const passesAfter = (slow: number): number | undefined => (slow >= 3 ? fewPasses : undefined);
