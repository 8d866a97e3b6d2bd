/**
 * Rounds of proposed reward functions (Eureka's loop): a request, a reply of a model or of a person, a short run of each
 * function, and the table. Everything is kept as it happens, so that the same call continues after an interruption.
 */
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import {
  bestOf,
  curvesText,
  functionsIn,
  type Proposal,
  proposalsTable,
  proposedColumn,
  requestText,
  resultOf,
  type WorldText,
} from '../../rl/rewards/proposals.ts';
import type { StepRecord } from '../protocol.ts';

/** Texts of the rounds by name: a folder on Node, the browser's storage in a page. */
export interface ProposalTexts {
  /** null: there is none. */
  read(name: string): string | null;
  write(name: string, text: string): void;
}

export interface ProposalOptions {
  experiment: Experiment;
  texts: ProposalTexts;
  /** Functions of a round, rounds, and steps of reward of a run. */
  count: number;
  rounds: number;
  steps: number;
  /** No run begins after this time, in milliseconds since the start; absent: no limit. */
  mostMs?: number;
  world: WorldText;
  /** Requests a reply; absent: a person writes it. */
  ask?(request: string): Promise<string>;
  /** Trains an experiment under a name and returns its records; a call with the same name continues the run. */
  train(experiment: Experiment, name: string): Promise<readonly StepRecord[]>;
  print(line: string): void;
  now?(): number;
}

/** A run was interrupted before its end. The same call continues it. */
export class InterruptedError extends Error {
  override name = 'InterruptedError';
}

/** Errors that belong to a proposal and not to this machine; the next request lists them. */
const faults = new Set([
  'CodeError',
  'SandboxTimeoutError',
  'SandboxMemoryError',
  'SandboxBrokenError',
  'RewardValueError',
  'ExperimentError',
]);

/** Names of the texts of a round. */
export const requestName = (round: number) => `request-${round}.md`;
export const replyName = (round: number) => `reply-${round}.md`;
const tableName = 'proposals.json';

/** All rounds are done, the reply of a round is missing, or the time is used up. */
export type Progress = { state: 'finished' } | { state: 'waiting'; round: number } | { state: 'stopped' };

/** Proposals with a result, in the order of their runs. */
export const proposalsIn = (texts: ProposalTexts): Proposal[] =>
  JSON.parse(texts.read(tableName) ?? '[]') as Proposal[];

/** Steps of a proposal's run: those of earlier stages, where no reward counts, come first. */
export const stepsOfRun = ({ stages }: Experiment, steps: number): number =>
  (stages ?? []).reduce((sum, stage) => sum + stage.steps, steps);

/** Experiment of a proposal's run: the function is the whole reward. */
const proposedRun = (experiment: Experiment, code: string, steps: number): Experiment =>
  parseExperiment({
    ...experiment,
    steps: stepsOfRun(experiment, steps),
    sweep: undefined,
    evaluation: { ...experiment.evaluation, every: 0 },
    reward: { parts: [{ kind: 'function', name: proposedColumn, code }] },
  });

/** The experiment with a function as its whole reward. */
export const withProposed = (experiment: Experiment, code: string): Experiment =>
  parseExperiment({ ...experiment, reward: proposedRun(experiment, code, 1).reward });

export class RewardProposals {
  private readonly proposals: Proposal[];
  private readonly started: number;

  constructor(private readonly options: ProposalOptions) {
    this.proposals = proposalsIn(options.texts);
    this.started = this.now();
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  async run(): Promise<Progress> {
    const { rounds } = this.options;
    for (let round = 1; round <= rounds; round++) {
      const reply = await this.reply(round);
      if (reply === null) return { state: 'waiting', round };
      if (!(await this.round(round, reply))) return { state: 'stopped' };
    }
    return { state: 'finished' };
  }

  /** The stored reply of a round, or a new one; null: a person has not written it yet. */
  private async reply(round: number): Promise<string | null> {
    const { ask, world, count, texts } = this.options;
    const stored = texts.read(replyName(round));
    if (stored?.trim()) return stored;
    const before = this.proposals.filter((each) => each.round < round);
    const request = requestText(world, count, before);
    texts.write(requestName(round), `${request}\n`);
    if (!ask) return null;
    const reply = await ask(request);
    texts.write(replyName(round), reply);
    return reply;
  }

  /** Trains the functions of a reply that have no result yet. Returns false if the time is used up. */
  private async round(round: number, reply: string): Promise<boolean> {
    const { count, print, mostMs = Infinity } = this.options;
    const codes = functionsIn(reply, count);
    if (!codes.length) print(`round ${round}: the reply has no function named reward`);
    for (const [i, code] of codes.entries()) {
      const number = i + 1;
      if (this.proposals.some((each) => each.round === round && each.number === number)) continue;
      if (this.now() - this.started >= mostMs) return false;
      const proposal = await this.tried({ round, number, code });
      this.proposals.push(proposal);
      this.write();
      print(`proposal ${round}.${number}: ${this.words(proposal)}`);
    }
    return true;
  }

  private words({ success, chance, problem }: Proposal): string {
    return problem ?? `held-out success ${success?.toFixed(3)}, chance ${chance?.toFixed(3)}`;
  }

  private async tried(proposal: Pick<Proposal, 'round' | 'number' | 'code'>): Promise<Proposal> {
    const { experiment, steps, train } = this.options;
    try {
      const run = proposedRun(experiment, proposal.code, steps);
      const records = await train(run, `run-${proposal.round}-${proposal.number}`);
      const curves = curvesText(records);
      const result = resultOf(records);
      if (!result) throw new InterruptedError('The run was interrupted before its end.');
      return { ...proposal, curves, success: result.policy.rate, chance: result.chance.rate };
    } catch (error) {
      if (!faults.has((error as Error).name)) throw error;
      return { ...proposal, problem: (error as Error).message };
    }
  }

  private write(): void {
    const { texts, experiment } = this.options;
    texts.write(tableName, `${JSON.stringify(this.proposals, null, 2)}\n`);
    texts.write('proposals.md', this.table());
    const best = bestOf(this.proposals);
    if (best) texts.write('best.json', `${JSON.stringify(withProposed(experiment, best.code), null, 2)}\n`);
  }

  table(): string {
    return proposalsTable(this.proposals);
  }
}
