/** Episodes that the policy of the run in focus plays to be watched, without training: on Watch, and against a person. */
import { promptRulesOf, type Task } from '../../envs/env.ts';
import type { WatchedTask } from '../../rl/schedule/tasks.ts';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { worldModule } from '../../worlds/registry.ts';
import type { Try } from '../state/contest.ts';
import type { State, Store } from '../state/state.ts';
import { nextTask, rememberWatch, speeds, type WatchView } from '../state/watch-view.ts';
import { isActive } from './events.ts';
import type { Navigation } from './navigation.ts';
import type { Notifier } from './notifier.ts';
import type { Recorded } from './recorded.ts';

/** Pause between an episode's end and the next one. */
const restMs = 1500;
/** Time in which the last turn's event arrives: events are gathered ten times a second. */
const gatherMs = 150;

type Split = 'train' | 'test';

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves while the page is visible: a hidden one receives no turns. */
const untilVisible = () =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });

export class Watching {
  /** Number of the latest request to watch or to stop; an earlier one then goes no further. */
  private latest = 0;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
    private readonly navigation: Navigation,
    private readonly recorded: Recorded,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  setView(watchView: WatchView) {
    rememberWatch(watchView);
    this.store.set({ watchView });
  }

  /** Shows episodes on Watch: that of this task, then further ones if they go on by themselves. */
  async watch(split: Split, task: number) {
    const { run } = this.state;
    if (!run) return;
    this.navigation.select({ tab: 'watch' });
    const mine = ++this.latest;
    const goesOn = () =>
      mine === this.latest &&
      this.state.watchView.goesOn &&
      this.state.selection.tab === 'watch' &&
      this.state.run?.id === run.id &&
      !isActive(this.state.status);
    for (let index = task; ; index = nextTask(index, this.state.watchView.shuffled)) {
      this.store.set({ watchedTask: index });
      if (!(await this.play(run, { split, taskIndex: index }, mine))) return;
      if (!goesOn()) return;
      await rest(restMs);
      if (!goesOn()) return;
    }
  }

  /** Plays one episode. Returns false if it failed or was stopped. */
  private async play(run: RunSummary, watched: WatchedTask, mine: number): Promise<boolean> {
    this.recorded.stop();
    this.store.set({ watching: true, live: [] });
    try {
      await this.api().watch(run.id, { ...watched, turnMs: speeds[this.state.watchView.speed] });
      await untilVisible();
      await rest(gatherMs);
    } catch (error) {
      this.notifier.notifyOf(error);
      return false;
    } finally {
      if (mine === this.latest) this.store.set({ watching: false });
    }
    return mine === this.latest;
  }

  /** Lets the agent play a task that a person has played. Null if it failed or was stopped. */
  async contest(task: Task): Promise<Try | null> {
    const { run } = this.state;
    if (!run || !(await this.play(run, { split: 'test', taskIndex: 0, task }, ++this.latest))) return null;
    const last = this.state.live.at(-1);
    if (!last) return null;
    const { successReward } = promptRulesOf(worldModule(task.world), task);
    return { success: last.done && last.reward >= successReward, reward: last.reward, turns: last.turn + 1 };
  }

  async stop() {
    this.latest++;
    this.store.set({ watching: false });
    await this.notifier.attempt('stop-watching', () => this.api().stopWatching());
  }
}
