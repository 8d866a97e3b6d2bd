/** Shows recorded turns one after the other, over and over; all at once if the reader wants no motion. */
const turnMs = 1100;
/** Time between two turns of an episode that the policy plays. */
export const watchedTurnMs = 400;
/** Pause before the turns begin again, in turns. */
const restTurns = 3;

export class Replay<Turn> {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly show: (turns: readonly Turn[]) => void) {}

  play(turns: readonly Turn[]): void {
    this.stop();
    if (!turns.length || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.show(turns);
      return;
    }
    const next = (index: number) => {
      if (!document.hidden) this.show(turns.slice(0, (index % (turns.length + restTurns)) + 1));
      this.timer = setTimeout(() => next(index + 1), turnMs);
    };
    next(0);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
