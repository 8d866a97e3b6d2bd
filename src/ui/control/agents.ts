/**
 * Buttons of the gallery of trained agents. Opening an agent imports it as an ordinary run of this browser; later
 * visits open that run without another download. An adapter plays beside a copy of its language model in this browser,
 * or beside the hub's.
 */
import { msg, str } from '@lit/localize';
import type { RunSummary } from '../../session/protocol.ts';
import { improvedExperiment, type ShippedAgent } from '../../session/shipped-agent.ts';
import { agentTitle } from '../state/labels.ts';
import { modelAtHand } from '../state/model-at-hand.ts';
import type { Controller } from './controller.ts';
import { fetchAgent, fetchAgentRun } from './shipped-agents.ts';

export class Agents {
  constructor(private readonly app: Controller) {}

  private get state() {
    return this.app.store.state;
  }

  /** Name of the language model beside which the agent plays here; null: it has none. */
  private model({ base }: ShippedAgent): string | null {
    if (!base) return null;
    const { keptModels, model } = this.state;
    return modelAtHand(base, { keptModels, card: model.card }) ?? base.model;
  }

  /** The agent's run, if it was imported before with this model and not deleted. */
  private known({ file }: Pick<ShippedAgent, 'file'>, model: string | null): RunSummary | undefined {
    return this.state.runs.find(
      ({ origin, deletedUntil, experiment: { policy } }) =>
        deletedUntil === null &&
        origin.kind === 'import' &&
        origin.file === file &&
        (model === null || ('model' in policy && policy.model === model)),
    );
  }

  private async runOf(name: string): Promise<{ agent: ShippedAgent; run: RunSummary }> {
    const agent = await fetchAgent(name);
    if (agent.base) await this.app.models.refresh();
    const model = this.model(agent);
    const known = this.known(agent, model);
    if (known) return { agent, run: known };
    const file = await fetchAgentRun(name, agent);
    const run = await this.app.api.importRun(file, agent.file, model);
    await this.app.api.rename(run.id, agentTitle(agent));
    await this.app.library.refreshRuns();
    return { agent, run };
  }

  private async focus(id: string) {
    await this.app.library.refreshRuns();
    await this.app.open(id);
    this.app.layout.showPanel('stage');
  }

  /** Lets the agent play a held-out task. */
  async watch(name: string, task: number) {
    const opened = await this.app.notifier.attempt('agent', async () => this.focus((await this.runOf(name)).run.id));
    if (opened) await this.app.watch('test', task);
  }

  /** Forks the agent's run with other settings and trains it on. */
  async improve(name: string) {
    const forked = await this.app.notifier.attempt('agent', async () => {
      const { agent, run } = await this.runOf(name);
      const fork = await this.app.api.fork(
        run.id,
        run.step,
        improvedExperiment(run.experiment, run.step, agent.improve),
      );
      await this.app.api.rename(fork.id, msg(str`${agentTitle(agent)}, improved`));
      await this.focus(fork.id);
    });
    if (forked) await this.app.train();
  }

  /** Trains the same experiment from random weights, as a new run. */
  async fromNothing(name: string) {
    const created = await this.app.notifier.attempt('agent', async () => {
      const { agent, run } = await this.runOf(name);
      const fresh = await this.app.api.createRun(run.experiment, msg(str`${agentTitle(agent)}, from nothing`));
      await this.focus(fresh.id);
    });
    if (created) await this.app.train();
  }
}
