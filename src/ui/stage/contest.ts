/**
 * You against the agent: after a person's try at a task, the policy of the run plays the same one, and the score of all
 * such tasks is kept until the page is reloaded.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Task } from '../../envs/env.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { turnCount } from '../kit/counts.ts';
import { controls } from '../kit/styles/shared.ts';
import { type ContestScore, noContest, type Try, type Winner, winnerOf, withWinner } from '../state/contest.ts';
import './episode-view.ts';

export interface PlayedTask {
  task: Task;
  you: Try;
}

/** Scores by the worlds of an experiment, as text. They outlive the element. */
const scores = new Map<string, ContestScore>();

@customElement('tabgym-contest')
export class TabgymContest extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
      }
    `,
  ];

  /** The person's finished try. */
  @property({ attribute: false }) played!: PlayedTask;
  @state() private agent: Try | null = null;
  @state() private playing = false;

  constructor() {
    super(['run', 'live', 'status', 'gpu', 'owner']);
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (!changed.has('played')) return;
    this.agent = null;
    this.playing = false;
  }

  private get world(): string {
    return JSON.stringify(this.state.run?.experiment.worlds);
  }

  private get score(): ContestScore {
    return scores.get(this.world) ?? noContest;
  }

  override render() {
    const { run, gpu, owner, live } = this.state;
    if (!run || !gpu || owner === 'another-tab') return nothing;
    return html`<h3>${msg('You against the agent')}</h3>
      ${this.agent ? this.renderResult(this.agent) : this.playing ? html`<p role="status">${msg('The agent plays the same task.')}</p>` : this.renderInvitation()}
      ${this.playing || this.agent ? html`<tabgym-episode .turns=${live}></tabgym-episode>` : nothing}
      ${this.renderScore()}`;
  }

  private renderInvitation() {
    const training = isActive(this.state.status);
    return html`<p>${training ? msg('Pause training to let the agent play this task.') : msg('See how the agent does on the same task.')}</p>
      <div><button ?disabled=${training} @click=${this.begin}>${msg('Let the agent try it')}</button></div>`;
  }

  private async begin() {
    const { played, world } = this;
    this.playing = true;
    const agent = await this.app.watching.contest(played.task);
    // The person may have gone on to another task meanwhile.
    if (played !== this.played) return;
    this.playing = false;
    if (!agent) return;
    scores.set(world, withWinner(scores.get(world) ?? noContest, winnerOf(played.you, agent)));
    this.agent = agent;
  }

  private tryText({ success, turns, reward }: Try): string {
    if (!success) return msg(str`✕ with reward ${reward.toFixed(2)}`);
    return turns === 1 ? msg('✓ in one turn') : msg(str`✓ in ${turnCount(turns)}`);
  }

  private renderResult(agent: Try) {
    const words: { [winner in Winner]: string } = {
      you: msg('You win this task.'),
      agent: msg('The agent wins this task.'),
      nobody: msg('Nobody wins this task.'),
    };
    return html`<p role="status"><strong>${words[winnerOf(this.played.you, agent)]}</strong>
      ${msg(str`You: ${this.tryText(this.played.you)}. The agent: ${this.tryText(agent)}.`)}</p>`;
  }

  private renderScore() {
    const { you, agent, nobody } = this.score;
    if (!(you + agent + nobody)) return nothing;
    return html`<p class="number"><strong>${msg(str`Score: you ${you}, the agent ${agent}`)}</strong>${nobody ? html` <span class="soft">${msg(str`(${nobody} undecided)`)}</span>` : nothing}</p>`;
  }
}
