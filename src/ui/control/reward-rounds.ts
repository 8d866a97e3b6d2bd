/**
 * Rounds of proposed reward functions in the page. Plan and texts are kept in this browser, and each function is
 * trained as a run of its own, so that the rounds continue after a reload.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { functionsIn, type Proposal, type WorldText } from '../../rl/rewards/proposals.ts';
import { judgeAsker } from '../../session/api/judge.ts';
import { modelConnection } from '../../session/api/model-connection.ts';
import {
  type ProposalTexts,
  proposalsIn,
  RewardProposals,
  replyName,
  requestName,
  withProposed,
} from '../../session/proposals/rounds.ts';
import { isActive, type StepRecord } from '../../session/protocol.ts';
import type { Controller } from './controller.ts';
import { sentence } from './notifier.ts';

const key = 'tabgym.reward-rounds';

/** Maximum number of tokens of a model's reply. */
const replyTokens = 8000;

export interface RoundsPlan {
  /** Experiment of the runs; its own reward is replaced. */
  experiment: Experiment;
  /** Functions of a round, rounds, steps of reward of a run. */
  count: number;
  rounds: number;
  steps: number;
  /** No run begins after this many minutes; null: no limit. */
  minutes: number | null;
  /** Server and name of the model that writes the functions; null: a person pastes its replies. */
  model: { address: string; name: string } | null;
}

interface Kept {
  plan: RoundsPlan;
  texts: { [name: string]: string };
  /** Ids of the runs by name. */
  runs: { [name: string]: string };
}

export type RoundsStatus =
  | { state: 'none' | 'asking' | 'finished' | 'stopped' }
  | { state: 'training'; name: string }
  | { state: 'waiting'; round: number }
  | { state: 'failed'; message: string };

function stored(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

/** One for each controller, so that closing the dialog does not stop the rounds. */
const opened = new WeakMap<Controller, RewardRounds>();

export function rewardRounds(app: Controller): RewardRounds {
  const rounds = opened.get(app) ?? new RewardRounds(app);
  opened.set(app, rounds);
  return rounds;
}

export class RewardRounds extends EventTarget {
  status: RoundsStatus = { state: 'none' };
  private kept: Kept | null = stored();
  private control: AbortController | null = null;
  private training: string | null = null;

  constructor(private readonly app: Controller) {
    super();
    if (this.kept) this.status = { state: 'stopped' };
  }

  get plan(): RoundsPlan | null {
    return this.kept?.plan ?? null;
  }

  get proposals(): Proposal[] {
    return this.kept ? proposalsIn(this.texts) : [];
  }

  get isBusy(): boolean {
    return this.status.state === 'asking' || this.status.state === 'training';
  }

  request(round: number): string {
    return this.texts.read(requestName(round)) ?? '';
  }

  private get texts(): ProposalTexts {
    return {
      read: (name) => this.kept?.texts[name] ?? null,
      write: (name, text) => {
        if (this.kept) this.keep({ ...this.kept, texts: { ...this.kept.texts, [name]: text } });
      },
    };
  }

  private keep(kept: Kept | null): void {
    this.kept = kept;
    try {
      if (kept) localStorage.setItem(key, JSON.stringify(kept));
      else localStorage.removeItem(key);
    } catch {
      // Without storage the rounds last as long as the page.
    }
    this.dispatchEvent(new Event('change'));
  }

  private set(status: RoundsStatus): void {
    this.status = status;
    this.dispatchEvent(new Event('change'));
  }

  begin(plan: RoundsPlan): void {
    this.keep({ plan, texts: {}, runs: {} });
  }

  /** Forgets the rounds; their runs stay in the list. */
  clear(): void {
    this.stop();
    this.keep(null);
    this.set({ state: 'none' });
  }

  /** Takes a pasted reply. Returns false if it has no reward function. */
  reply(round: number, text: string): boolean {
    if (!functionsIn(text, 1).length) return false;
    this.texts.write(replyName(round), text);
    return true;
  }

  /** Continues until the end, a missing reply, or a stop. `world`: describes the world of the experiment. */
  async run(world: (experiment: Experiment) => Promise<WorldText>): Promise<void> {
    if (!this.kept || this.isBusy) return;
    const { plan } = this.kept;
    const control = new AbortController();
    this.control = control;
    this.set({ state: 'asking' });
    try {
      const rounds = new RewardProposals({
        ...plan,
        ...(plan.minutes && { mostMs: 60_000 * plan.minutes }),
        texts: this.texts,
        world: await world(plan.experiment),
        ...(plan.model && { ask: (request) => this.ask(request, plan.model!, control.signal) }),
        train: (experiment, name) => this.train(experiment, name, control.signal),
        print: () => {},
      });
      this.set(await rounds.run());
    } catch (error) {
      const stopped = control.signal.aborted || (error as Error).name === 'InterruptedError';
      if (this.kept) this.set(stopped ? { state: 'stopped' } : { state: 'failed', message: sentence(error) });
    }
  }

  stop(): void {
    this.control?.abort();
    if (this.training) void this.app.api.pause(this.training).catch(() => {});
  }

  private ask(content: string, { address, name }: { address: string; name: string }, signal: AbortSignal) {
    this.set({ state: 'asking' });
    const ask = judgeAsker((server) => this.app.servers.of(modelConnection(server)));
    return ask({ address, model: name, content, maxTokens: replyTokens }, signal);
  }

  /** Id of a run under a name: the one made before, if it still exists. */
  private async runNamed(experiment: Experiment, name: string): Promise<string> {
    const known = this.kept?.runs[name];
    const exists = (await this.app.api.listRuns()).some(({ id, deletedUntil }) => id === known && !deletedUntil);
    if (known && exists) return known;
    const run = await this.app.api.createRun(experiment, `${experiment.name}: ${name}`.slice(0, 120));
    if (this.kept) this.keep({ ...this.kept, runs: { ...this.kept.runs, [name]: run.id } });
    await this.app.library.refreshRuns();
    return run.id;
  }

  private async train(experiment: Experiment, name: string, signal: AbortSignal): Promise<readonly StepRecord[]> {
    for (const part of experiment.reward?.parts ?? []) if ('code' in part) await this.app.consent.allow(part.code);
    signal.throwIfAborted();
    if (!(await this.app.consent.ask(experiment))) throw new DOMException('not allowed', 'AbortError');
    const id = await this.runNamed(experiment, name);
    await this.app.open(id);
    this.training = id;
    this.set({ state: 'training', name });
    try {
      signal.throwIfAborted();
      if ((this.app.store.state.run?.step ?? 0) < experiment.steps)
        await Promise.race([this.app.api.train(id), this.paused(id)]);
      return (await this.app.api.openRun(id)).records;
    } finally {
      this.training = null;
    }
  }

  /** Resolves when the run is paused or leaves the focus: a session may hold the step in progress, and train waits. */
  private paused(id: string): Promise<void> {
    const { store } = this.app;
    let began = false;
    return new Promise((resolve) => {
      const stop = store.listen(() => {
        const { run, status } = store.state;
        began ||= isActive(status);
        if (run?.id === id && !(began && status === 'paused')) return;
        stop();
        resolve();
      });
    });
  }

  /** Puts the experiment with a function as its reward into the setup. */
  use({ code }: Proposal): void {
    if (!this.kept) return;
    void this.app.consent.allow(code);
    this.app.draft.use(withProposed(this.kept.plan.experiment, code));
  }
}
