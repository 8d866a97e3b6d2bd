/**
 * Tries of a suite that are kept as they end, in any order, so that an interrupted evaluation continues with the others.
 * Until all are there, a kept item holds the finished ones, each with its number.
 */
import type { Task } from '../envs/env.ts';
import type { Suite } from '../envs/suite.ts';
import type { ChatEpisode } from './episode/chat-episode.ts';
import { type ItemResult, type OverflowRule, type Try, underRule } from './evaluation/suite-results.ts';
import { taskKey } from './schedule/tasks.ts';

interface KeptTriesOptions {
  kept?: readonly ItemResult[];
  onItems?(items: readonly ItemResult[]): void | Promise<void>;
  overflow?: OverflowRule;
}

type Baselines = Pick<ItemResult, 'chance' | 'oracle' | 'guess'>;

const unknown: Baselines = { chance: [], oracle: null };

/**
 * The kept items; none if every try ran out of tokens in its first turn. Such an evaluation has stopped for that
 * reason, and begins anew, because it may have more tokens now.
 */
const withRoom = (items: readonly ItemResult[]): readonly ItemResult[] =>
  items.some(({ tries }) => tries.some(({ overflowed, turns }) => !overflowed || turns > 0)) ? items : [];

export class KeptTries {
  /** Tries by their place: item, then number. */
  private readonly tries: (Try | undefined)[];
  private writing: Promise<void> = Promise.resolve();
  private isWaiting = false;

  constructor(
    private readonly suite: Pick<Suite, 'columnOf'>,
    private readonly tasks: readonly Task[],
    private readonly samples: number,
    private readonly options: KeptTriesOptions,
  ) {
    this.tries = new Array(tasks.length * samples);
    const kept = new Map(withRoom(options.kept ?? []).map((item) => [item.key, item.tries]));
    tasks.forEach((task, i) => {
      for (const [k, { member = k, ...one }] of (kept.get(taskKey(task)) ?? []).entries())
        if (member < samples && one.failure === undefined) this.tries[i * samples + member] = one;
    });
  }

  isPlayed = (place: number): boolean => this.tries[place] !== undefined;

  add = ({ success, score, turns, overflowed, failure, measures }: ChatEpisode, place: number): void => {
    const one = {
      success,
      score,
      turns,
      overflowed,
      ...(failure !== undefined && { failure }),
      ...(measures && { measures }),
    };
    this.tries[place] = underRule(one, this.options.overflow);
    if (failure === undefined) this.write();
  };

  /** Resolves when everything so far is kept. Rejects if that failed. */
  written(): Promise<void> {
    return this.writing;
  }

  items(baselines: readonly Baselines[]): ItemResult[] {
    return this.tasks.map((task, i) => ({
      ...this.itemOf(task),
      tries: this.tries.slice(i * this.samples, (i + 1) * this.samples) as Try[],
      ...baselines[i],
    }));
  }

  private itemOf = (task: Task) => ({ key: taskKey(task), column: this.suite.columnOf(task) });

  private finished(): ItemResult[] {
    const items = this.tasks.map((task, i) => ({
      ...this.itemOf(task),
      tries: Array.from({ length: this.samples }, (_, member) => ({
        one: this.tries[i * this.samples + member],
        member,
      }))
        .filter(({ one }) => one && one.failure === undefined)
        .map(({ one, member }) => ({ ...one!, member })),
      ...unknown,
    }));
    return items.filter(({ tries }) => tries.length > 0);
  }

  /** One write at a time; tries that end meanwhile are in the next one. */
  private write(): void {
    if (!this.options.onItems || this.isWaiting) return;
    this.isWaiting = true;
    this.writing = this.writing.then(() => {
      this.isWaiting = false;
      return this.options.onItems!(this.finished());
    });
    // `written` reports the error.
    this.writing.catch(() => {});
  }
}
