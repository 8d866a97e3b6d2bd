/**
 * Recorded play until something trains: an episode of the run in focus, turn by turn, or, for a newcomer without a run,
 * an episode recorded elsewhere (`sample.ts`). Needs no GPU. Stops when live turns arrive.
 */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { LiveTurn, ReplayFrame, RunSummary, TrainerApi } from '../../session/protocol.ts';
import { firstPreset } from '../state/newcomer.ts';
import type { Recording, Store } from '../state/state.ts';
import { loadSample } from './sample.ts';

const turnMs = 1100;
/** Pause before the recording repeats, in turns. */
const restTurns = 3;

const liveTurns = (step: number, trajectory: Trajectory, frames: readonly ReplayFrame[]): LiveTurn[] =>
  trajectory.turns.map((turn, index) => ({
    step,
    group: trajectory.group,
    member: trajectory.member,
    turn: index,
    horizon: trajectory.horizon,
    action: turn.action,
    thought: turn.thought,
    reply: turn.reply,
    observation: turn.observation,
    reward: turn.reward,
    done: index === trajectory.turns.length - 1,
    view: frames.find((frame) => frame.turn === index)?.view ?? null,
  }));

/** The longest success of a step, or its longest episode if none succeeded. */
const choose = (all: readonly Trajectory[]) =>
  [...all].sort((a, b) => Number(b.success) - Number(a.success) || b.turns.length - a.turns.length)[0];

export class Recorded {
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Incremented whenever the recording changes, so that a late answer is dropped. */
  private turn = 0;
  /** True while the sample loads or plays. */
  private samples = false;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
  ) {}

  stop() {
    this.turn++;
    this.samples = false;
    clearTimeout(this.timer);
    if (this.store.state.recorded) this.store.set({ recorded: null, live: [] });
  }

  /** Plays an episode of a step. Returns false if the step has none. */
  async playRun(runId: string, step: number): Promise<boolean> {
    this.stop();
    const mine = this.turn;
    const detail =
      step > 0
        ? await this.api()
            .stepDetail(runId, step)
            .catch(() => null)
        : null;
    const trajectory = detail && choose(detail.trajectories);
    if (!trajectory) return false;
    const frames = await this.api()
      .replay(runId, step, trajectory.group, trajectory.member)
      .catch(() => []);
    if (mine === this.turn) this.play({ title: '', turns: liveTurns(step, trajectory, frames) });
    return true;
  }

  /** Plays the sample; if it is playing already, it continues. */
  async playSample() {
    if (this.samples) return;
    this.stop();
    this.samples = true;
    const mine = this.turn;
    const recording = await loadSample();
    if (recording && mine === this.turn) this.play(recording);
  }

  /**
   * Plays the sample while a run of the first preset is prepared, because its first live turn comes only after some
   * seconds.
   */
  async playUntilLive({ step, experiment }: RunSummary) {
    if (step === 0 && experiment.name === firstPreset && this.store.state.arrangement === 'simple')
      await this.playSample();
  }

  private play(recording: Recording) {
    const { turns } = recording;
    if (!turns.length) return;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still) return this.store.set({ recorded: recording, live: turns });
    const show = (index: number) => {
      if (!document.hidden)
        this.store.set({ recorded: recording, live: turns.slice(0, (index % (turns.length + restTurns)) + 1) });
      this.timer = setTimeout(() => show(index + 1), turnMs);
    };
    show(0);
  }
}
