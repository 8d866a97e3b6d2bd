/**
 * Episodes of a run over all its steps, as a collection: listed step by step, read again from their step on request.
 */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { strataOf } from '../../rl/schedule/tasks.ts';
import type { Collection, OpenFileOptions } from './file.ts';
import { lossless, recordOf } from './lossless.ts';
import type { RecordProblem, TrajectoryRecord } from './record.ts';
import { RecordIndex } from './record-index.ts';
import { textMatcher, turnText } from './text-search.ts';

/** Episodes of a step; null: not stored. */
export type ReadStep = (step: number) => Promise<readonly Trajectory[] | null>;

/** Steps kept in memory, so that a step is read once for episodes viewed in sequence. */
const keptSteps = 3;

export class RunTrajectories implements Collection {
  readonly records = new RecordIndex();
  readonly problems: RecordProblem[] = [];
  readonly refused = 0;
  /** Steps whose episodes are no longer stored. */
  missing = 0;
  private readonly kept = new Map<number, Promise<readonly Trajectory[] | null>>();

  constructor(
    readonly name: string,
    private readonly readStep: ReadStep,
  ) {}

  /** Lists from step `from` to step `to`; later steps may be listed by another call. */
  async list(from: number, to: number, { signal, onProgress }: OpenFileOptions = {}): Promise<void> {
    for (let step = from; step <= to; step++) {
      signal?.throwIfAborted();
      const trajectories = await this.stepOf(step);
      if (!trajectories) this.missing++;
      trajectories?.forEach((trajectory, place) => this.add(trajectory, step, place));
      onProgress?.(step - from + 1, to - from + 1);
    }
  }

  /** The record as it was stored. */
  async read(index: number): Promise<TrajectoryRecord> {
    const { step, offset } = this.records.at(index);
    const trajectory = (await this.stepOf(step!))?.[offset];
    if (!trajectory) throw new Error(`The episodes of step ${step} are not kept any more.`);
    return recordOf(trajectory, { run: this.name, step: step! });
  }

  /** Place of the record in the run. */
  async placeOf(index: number): Promise<{ step: number; group: number; member: number }> {
    const { step, offset } = this.records.at(index);
    const { group, member } = (await this.stepOf(step!))![offset];
    return { step: step!, group, member };
  }

  async *find(text: string, { signal, onProgress }: OpenFileOptions = {}): AsyncGenerator<number> {
    const matches = textMatcher(text);
    for (let i = 0; i < this.records.length; i++) {
      signal?.throwIfAborted();
      const { step, offset, itemId } = this.records.at(i);
      const trajectory = (await this.stepOf(step!))?.[offset];
      if ((itemId && matches(itemId)) || (trajectory && contains(trajectory, matches))) yield i;
      onProgress?.(i + 1, this.records.length);
    }
  }

  async release(): Promise<void> {
    this.kept.clear();
  }

  private add({ task, score, success, turns, tokens }: Trajectory, step: number, place: number): void {
    this.records.add({
      line: 0,
      offset: place,
      bytes: tokens.byteLength,
      format: lossless.name,
      itemId: `${task.world}_${task.id}`,
      world: task.world,
      item: task.id,
      family: strataOf(task).join(', ') || null,
      reward: Number.isFinite(score) ? score : null,
      success,
      turns: turns.length,
      step,
    });
  }

  private stepOf(step: number): Promise<readonly Trajectory[] | null> {
    const known = this.kept.get(step) ?? this.readStep(step);
    this.kept.set(step, known);
    for (const oldest of this.kept.keys()) if (this.kept.size > keptSteps) this.kept.delete(oldest);
    return known;
  }
}

const contains = ({ prompt, turns }: Trajectory, matches: (text: string) => boolean): boolean =>
  matches(prompt) || turns.some(({ action, reply, observation }) => matches(turnText(reply ?? action, observation)));
