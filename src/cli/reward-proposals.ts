/**
 * Rounds of proposed reward functions in a folder: a request, a reply of a model or of a person, a short run of each
 * function, and the table. Everything is written as it happens, so the same command continues after an interruption.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
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
} from '../rl/rewards/proposals.ts';
import type { StepRecord } from '../session/protocol.ts';
import { writeWhole } from './whole-files.ts';

export interface ProposalOptions {
  experiment: Experiment;
  folder: string;
  /** Functions of a round, rounds, and steps of a run. */
  count: number;
  rounds: number;
  steps: number;
  /** No run begins after this time, in milliseconds since the start; absent: no limit. */
  mostMs?: number;
  world: WorldText;
  /** Requests a reply; absent: a person pastes it into the folder. */
  ask?(request: string): Promise<string>;
  /** Trains an experiment in a folder and returns its records. */
  train(experiment: Experiment, folder: string): Promise<readonly StepRecord[]>;
  print(line: string): void;
  now?(): number;
}

/** A run was interrupted before its end; the same command continues it. */
class InterruptedError extends Error {
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

/** Outcome of a command: all rounds done, a reply is missing, or the time is used up. */
export type Progress =
  | { state: 'finished' }
  | { state: 'waiting'; request: string; reply: string }
  | { state: 'stopped' };

/** Experiment of a proposal's run: the function is the whole reward. */
export const proposedRun = (experiment: Experiment, code: string, steps: number): Experiment =>
  parseExperiment({
    ...experiment,
    steps,
    sweep: undefined,
    evaluation: { ...experiment.evaluation, every: 0 },
    reward: { parts: [{ kind: 'function', name: proposedColumn, code }] },
  });

export class RewardProposals {
  private readonly proposals: Proposal[];
  private readonly started: number;

  constructor(private readonly options: ProposalOptions) {
    mkdirSync(options.folder, { recursive: true });
    const file = this.file('proposals.json');
    this.proposals = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Proposal[]) : [];
    this.started = this.now();
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private file(name: string): string {
    return join(this.options.folder, name);
  }

  async run(): Promise<Progress> {
    const { rounds } = this.options;
    for (let round = 1; round <= rounds; round++) {
      const reply = await this.reply(round);
      if (reply === null)
        return { state: 'waiting', request: this.file(`request-${round}.md`), reply: this.file(`reply-${round}.md`) };
      if (!(await this.round(round, reply))) return { state: 'stopped' };
    }
    return { state: 'finished' };
  }

  /** The stored reply of a round, or a new one; null: a person has not pasted it yet. */
  private async reply(round: number): Promise<string | null> {
    const { ask, world, count } = this.options;
    const [requestFile, replyFile] = [this.file(`request-${round}.md`), this.file(`reply-${round}.md`)];
    if (existsSync(replyFile) && readFileSync(replyFile, 'utf8').trim()) return readFileSync(replyFile, 'utf8');
    const before = this.proposals.filter((each) => each.round < round);
    const request = requestText(world, count, before);
    writeWhole(requestFile, `${request}\n`);
    if (!ask) return null;
    const reply = await ask(request);
    writeWhole(replyFile, reply);
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
      const records = await train(run, this.file(`run-${proposal.round}-${proposal.number}`));
      const curves = curvesText(records);
      const result = resultOf(records);
      if (!result) throw new InterruptedError('The run was interrupted. The same command continues.');
      return { ...proposal, curves, success: result.policy.rate, chance: result.chance.rate };
    } catch (error) {
      if (!faults.has((error as Error).name)) throw error;
      return { ...proposal, problem: (error as Error).message };
    }
  }

  private write(): void {
    writeWhole(this.file('proposals.json'), `${JSON.stringify(this.proposals, null, 2)}\n`);
    writeWhole(this.file('proposals.md'), proposalsTable(this.proposals));
    const best = bestOf(this.proposals);
    if (best) writeWhole(this.file('best.json'), `${JSON.stringify(this.bestExperiment(best), null, 2)}\n`);
  }

  /** The whole experiment with the best function. */
  private bestExperiment({ code }: Proposal): Experiment {
    const { experiment } = this.options;
    return parseExperiment({ ...experiment, reward: proposedRun(experiment, code, experiment.steps).reward });
  }

  table(): string {
    return proposalsTable(this.proposals);
  }
}
