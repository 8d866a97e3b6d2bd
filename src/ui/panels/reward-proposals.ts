/**
 * Dialog of reward functions by proposal: a model writes them, or a person pastes its replies; a short run is trained
 * with each, and the next request has the best one with its curves. Closing the dialog does not stop the rounds.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { bestOf, type Proposal } from '../../rl/rewards/proposals.ts';
import { stepsOfRun } from '../../session/proposals/rounds.ts';
import { worldTextOf } from '../../session/proposals/world-text.ts';
import { worldModule } from '../../worlds/registry.ts';
import { Panel } from '../control/panel.ts';
import { type RewardRounds, type RoundsPlan, rewardRounds } from '../control/reward-rounds.ts';
import { runCount, stepCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import type { KnobChangeEvent } from './knob-field.ts';
import { openOwnWorker } from './world-worker.ts';

const numbers = { count: 3, rounds: 2, steps: 20 };

@customElement('tabgym-reward-proposals')
export class TabgymRewardProposals extends Panel {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 860px;
      }
      form,
      .inner > section {
        display: grid;
        gap: 10px;
      }
      .fields {
        display: flex;
        flex-wrap: wrap;
        gap: 8px 16px;
      }
      .fields label,
      .stacked {
        display: grid;
        gap: 2px;
      }
      .fields input {
        width: 110px;
      }
      .fields .wide {
        flex: 1;
        min-width: 220px;
      }
      .fields .wide input {
        width: 100%;
      }
      textarea,
      pre {
        font-family: var(--mono);
        font-size: var(--size-s);
      }
      textarea {
        width: 100%;
        resize: vertical;
      }
      pre {
        margin: 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .scroll {
        overflow-x: auto;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
        line-height: 24px;
      }
    `,
  ];

  @query('dialog') private dialog!: HTMLDialogElement;
  @state() private byModel = false;
  @state() private address = 'http://127.0.0.1:11434/v1';
  @state() private model = '';
  @state() private unread = false;

  constructor() {
    super(['draft', 'run', 'records', 'status', 'gpu']);
  }

  private get rounds(): RewardRounds {
    return rewardRounds(this.app);
  }

  private redraw = () => this.requestUpdate();

  protected override firstUpdated() {
    this.rounds.addEventListener('change', this.redraw);
    this.dialog.showModal();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.rounds.removeEventListener('change', this.redraw);
  }

  override render() {
    const { plan } = this.rounds;
    return html`<dialog aria-labelledby="title" @keydown=${(event: Event) => event.stopPropagation()} @close=${() => this.dispatchEvent(new Event('closed'))}>
      <div class="inner">
        <div class="row spread" .style=${'flex-wrap:nowrap'}><h2 id="title">${msg('Reward functions by proposal')}</h2>
          <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog.close()}>✕</button></div>
        <p class="soft">${msg('A language model writes reward functions for the world of the setup. Each is tried as the whole reward of a short run, in the sandbox. The next request has the best one with its curves.')}</p>
        ${plan ? this.renderRounds(plan) : this.renderStart()}
      </div></dialog>`;
  }

  private renderStart() {
    const number = (name: keyof typeof numbers, label: string, most: number) =>
      html`<label>${label}<input name=${name} type="number" required min="1" max=${most} .value=${String(numbers[name])} /></label>`;
    return html`<form @submit=${this.start}>
      <div class="fields">${number('count', msg('Functions in a round'), 8)}${number('rounds', msg('Rounds'), 20)}${number('steps', msg('Steps of reward'), 1000)}
        <label>${msg('Maximum minutes')}<input name="minutes" type="number" min="1" placeholder=${msg('no limit')} /></label></div>
      <label class="row"><input type="checkbox" .checked=${this.byModel} @change=${this.toggle} /> ${msg('Ask a model behind an API')}</label>
      ${this.byModel ? this.renderServer() : html`<p class="soft small">${msg('Without it you give the request to any model and paste its reply.')}</p>`}
      <div class="row"><button class="primary" ?disabled=${!this.state.draft || !this.state.gpu?.supported}>${msg('Write the first request')}</button></div>
    </form>`;
  }

  private renderServer() {
    void import('./model-connection.ts');
    const { servers } = this.app;
    const choose = (event: KnobChangeEvent) => {
      event.stopPropagation();
      this.model = String(event.value);
    };
    return html`<div class="fields"><label class="wide">${msg('Address of the server')}<input type="url" required .value=${this.address} @change=${(
      event: Event,
    ) => {
      this.address = (event.target as HTMLInputElement).value.trim();
    }} /></label>
      <label class="wide">${msg('Model')}<input required .value=${this.model} @change=${(event: Event) => {
        this.model = (event.target as HTMLInputElement).value.trim();
      }} /></label></div>
      <tabgym-model-connection address=${this.address} name=${this.model} .servers=${servers} .foreign=${servers.foreign} @knob-change=${choose}></tabgym-model-connection>`;
  }

  private renderRounds(plan: RoundsPlan) {
    const { proposals } = this.rounds;
    const budget = msg(
      str`${plan.experiment.name}: at most ${runCount(plan.rounds * plan.count)} of ${stepCount(stepsOfRun(plan.experiment, plan.steps))}.`,
    );
    return html`<p class="small soft">${budget}</p>
      ${proposals.length ? this.renderTable(proposals) : nothing}
      <section role="status" aria-live="polite">${this.renderStatus(plan)}</section>
      <div class="row">${
        this.rounds.isBusy
          ? html`<button @click=${() => this.rounds.stop()}>${msg('Stop')}</button>`
          : html`<button @click=${() => this.rounds.clear()}>${msg('Start over')}</button>`
      }</div>`;
  }

  private renderStatus(plan: RoundsPlan) {
    const { status } = this.rounds;
    const again = html`<div class="row"><button class="primary" @click=${() => void this.run()}>${msg('Continue')}</button></div>`;
    switch (status.state) {
      case 'asking':
        return html`<p class="soft">${msg('Asking for functions')}…</p>`;
      case 'training': {
        const done = this.state.records.at(-1)?.step ?? 0;
        const [, round, number] = /^run-(\d+)-(\d+)$/.exec(status.name)!;
        return html`<p>${msg(str`Proposal ${round}.${number} trains: ${done} of ${stepCount(stepsOfRun(plan.experiment, plan.steps))}.`)}</p>`;
      }
      case 'waiting':
        return this.renderWaiting(status.round);
      case 'finished':
        return this.renderFinished();
      case 'failed':
        return html`<p class="message error">✕ ${status.message}</p>${again}`;
      default:
        return html`<p>${msg('The rounds have stopped. Finished proposals are kept.')}</p>${again}`;
    }
  }

  private renderWaiting(round: number) {
    return html`<form @submit=${(event: SubmitEvent) => this.paste(event, round)}>
      <label class="stacked">${msg(str`Request of round ${round}`)}<textarea readonly rows="6" .value=${this.rounds.request(round)}></textarea></label>
      <div class="row"><button type="button" @click=${() => void navigator.clipboard.writeText(this.rounds.request(round))}>${msg('Copy the request')}</button></div>
      <label class="stacked">${msg('Reply of the model')}<textarea name="reply" required rows="6"></textarea></label>
      ${this.unread ? html`<p class="message error" role="alert">✕ ${msg('The reply has no function named reward. Paste the whole reply, with its code.')}</p>` : nothing}
      <div class="row"><button class="primary">${msg('Train these functions')}</button></div></form>`;
  }

  private renderFinished() {
    const best = bestOf(this.rounds.proposals);
    if (!best) return html`<p>${msg('All rounds are done. No function was trained to its end.')}</p>`;
    return html`<p>✓ ${msg(str`All rounds are done. The best function is ${best.round}.${best.number}.`)}</p>
      <div class="row"><button class="primary" @click=${() => this.use(best)}>${msg('Use it in the setup')}</button></div>`;
  }

  private renderTable(proposals: readonly Proposal[]) {
    const best = bestOf(proposals);
    const cell = (value: number | undefined) =>
      html`<td class="number">${value === undefined ? '–' : fixed(value)}</td>`;
    return html`<div class="scroll"><table>
      <thead><tr><th>${msg('Proposal')}</th><th class="number">${msg('Held-out success')}</th><th class="number">${msg('Chance')}</th><th>${msg('Function and curves')}</th><th></th></tr></thead>
      <tbody>${proposals.map(
        (
          each,
        ) => html`<tr><th scope="row">${each.round}.${each.number}${each === best ? ' ★' : ''}</th>${cell(each.success)}${cell(each.chance)}
          <td><details><summary>${each.problem ? html`<span class="bad">✕ ${each.problem.slice(0, 80)}</span>` : msg('Show')}</summary>
            <pre>${each.code}</pre>${each.problem ? html`<p class="bad small">${each.problem}</p>` : html`<pre class="soft">${each.curves}</pre>`}</details></td>
          <td><button aria-label=${msg(str`Use function ${each.round}.${each.number}`)} ?disabled=${this.rounds.isBusy} @click=${() => this.use(each)}>${msg('Use')}</button></td></tr>`,
      )}</tbody></table></div>`;
  }

  private toggle = (event: Event) => {
    this.byModel = (event.target as HTMLInputElement).checked;
  };

  private start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const number = (name: string) => Number(form.get(name));
    this.rounds.begin({
      experiment: structuredClone(this.state.draft!),
      ...{ count: number('count'), rounds: number('rounds'), steps: number('steps') },
      minutes: number('minutes') || null,
      model: this.byModel ? { address: this.address, name: this.model } : null,
    });
    void this.run();
  };

  private run() {
    return this.rounds.run((experiment) => worldTextOf(experiment, (name) => openOwnWorker(worldModule(name))));
  }

  private paste(event: SubmitEvent, round: number) {
    event.preventDefault();
    this.unread = !this.rounds.reply(round, String(new FormData(event.target as HTMLFormElement).get('reply')));
    if (!this.unread) void this.run();
  }

  private use(proposal: Proposal) {
    this.rounds.use(proposal);
    this.dialog.close();
  }
}
