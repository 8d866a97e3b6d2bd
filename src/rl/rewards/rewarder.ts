/** Gives the episodes of a run their composed reward, step by step. Without `reward` in the settings it does nothing. */
import type { Trajectory } from '../episode/trajectory.ts';
import { composeRewards, judgeMetrics, rewardMetrics } from './compose.ts';
import { type AskJudge, CountedJudge } from './counted-judge.ts';
import type { PartServices } from './part.ts';
import { partOf, type RewardSettings } from './registry.ts';

/** Numbers of the policy that are saved with its weights. */
type Notes = Map<string, number>;

/** Requests of the whole run to its judge. */
const requestsNote = 'judgeRequests';

export class Rewarder {
  private readonly judge: CountedJudge | undefined;

  constructor(
    private readonly settings: RewardSettings | undefined,
    private readonly services: Pick<PartServices, 'runner'> & { ask?: AskJudge },
    private readonly notes: Notes,
  ) {
    const asks = settings?.parts.some((part) => partOf(part).asksJudge) ?? false;
    if (asks && services.ask) this.judge = new CountedJudge(services.ask, () => notes.get(requestsNote) ?? 0);
  }

  /** Begins the counts of a step. */
  begin(): void {
    this.judge?.begin();
  }

  /** Writes the reward of each trajectory; returns the same list. */
  async give<T extends readonly Trajectory[]>(trajectories: T, signal?: AbortSignal): Promise<T> {
    const { runner } = this.services;
    if (this.settings) await composeRewards(trajectories, this.settings, { runner, judge: this.judge, signal });
    return trajectories;
  }

  /** Metrics of the step's episodes and of its requests. */
  metrics(trajectories: readonly Trajectory[]): { [metric: string]: number } {
    return { ...rewardMetrics(trajectories), ...(this.judge && judgeMetrics(this.judge)) };
  }

  /** Adds the step's requests to the policy's notes, where a resumed run finds them. */
  commit(): void {
    if (!this.judge) return;
    this.notes.set(requestsNote, Math.fround((this.notes.get(requestsNote) ?? 0) + this.judge.requests));
  }
}
