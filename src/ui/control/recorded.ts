/**
 * Something alive before anything trains: an episode of the run in focus, replayed turn by turn; and for a newcomer without
 * a run, one that was recorded elsewhere (public/samples.json lists it). Needs no GPU. Stops when real turns come.
 */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { LiveTurn, ReplayFrame, TrainerApi } from '../../session/protocol.ts';
import type { Recording, Store } from '../state/state.ts';

const turnMs = 1100;
/** Pause after the last turn, in turns, before it begins again. */
const restTurns = 3;

export const liveTurns = (step: number, trajectory: Trajectory, frames: readonly ReplayFrame[]): LiveTurn[] =>
  trajectory.turns.map((turn, index) => ({
    step,
    group: trajectory.group,
    member: trajectory.member,
    turn: index,
    action: turn.action,
    thought: turn.thought,
    reply: turn.reply,
    observation: turn.observation,
    reward: turn.reward,
    done: index === trajectory.turns.length - 1,
    view: frames.find((frame) => frame.turn === index)?.view ?? null,
  }));

/** The longest success of a step, else its first episode: what is most worth watching. */
const choose = (all: readonly Trajectory[]) =>
  [...all].sort((a, b) => Number(b.success) - Number(a.success) || b.turns.length - a.turns.length)[0];

export class Recorded {
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts up whenever what plays changes, so that a late answer is dropped. */
  private turn = 0;
  /** The sample is on its way, or plays. */
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

  /** An episode of the newest step that has any. Says nothing where there is none. */
  async playRun(runId: string, step: number) {
    this.stop();
    const mine = this.turn;
    const detail =
      step > 0
        ? await this.api()
            .stepDetail(runId, step)
            .catch(() => null)
        : null;
    const trajectory = detail && choose(detail.trajectories);
    if (!trajectory) return;
    const frames = await this.api()
      .replay(runId, step, trajectory.group, trajectory.member)
      .catch(() => []);
    if (mine === this.turn) this.play({ title: '', turns: liveTurns(step, trajectory, frames) });
  }

  /** Goes on where it plays already. */
  async playSample() {
    if (this.samples) return;
    this.stop();
    this.samples = true;
    const mine = this.turn;
    const [sample] = await fetchJson<{ file: string }[]>('samples.json', []);
    const recording = sample && (await fetchJson<Recording | null>(sample.file, null));
    if (recording && mine === this.turn) this.play(recording);
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

const fetchJson = <T>(path: string, otherwise: T): Promise<T> =>
  fetch(path)
    .then((response) => (response.ok ? (response.json() as Promise<T>) : otherwise))
    .catch(() => otherwise);
