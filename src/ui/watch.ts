/** Watch: the live episode. The world as it stands, and what was said turn by turn. Before there is a run, the welcome. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { LiveTurn } from '../session/protocol.ts';
import { isActive } from './controller.ts';
import { fixed } from './format.ts';
import { Panel } from './panel.ts';
import { emptyState, errorState, progressBar, progressWords } from './states.ts';
import { controls } from './styles/shared.ts';
import './welcome.ts';
import './world-view.ts';

@customElement('tabgym-watch')
export class TabgymWatch extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        padding: 12px;
      }
      .live {
        display: grid;
        gap: 14px;
        grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr);
        align-items: start;
      }
      .head {
        margin-block-end: 10px;
      }
      @media (max-width: 1000px) {
        .live {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      ol {
        list-style: none;
        display: grid;
        gap: 6px;
      }
      li {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 5px 8px;
        overflow-wrap: anywhere;
      }
      li.newest {
        border-color: var(--accent);
      }
      .action {
        font-family: var(--mono);
        border-inline-start: 3px solid var(--policy-ink);
        padding-inline-start: 6px;
      }
      .observation {
        font-family: var(--mono);
        color: var(--text-2);
        white-space: pre-wrap;
        padding-inline-start: 9px;
        max-height: 6.5em;
        overflow: auto;
      }
      .turn {
        font-size: var(--size-s);
        color: var(--text-2);
      }
      .pulse {
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: var(--bad);
        animation: pulse 1.6s infinite;
      }
      @keyframes pulse {
        50% {
          opacity: 0.3;
        }
      }
      .task input {
        width: 72px;
      }
    `,
  ];

  @state() private split: 'train' | 'test' = 'test';
  @state() private task = 0;

  constructor() {
    super([
      'live',
      'run',
      'status',
      'statusDetail',
      'progress',
      'watching',
      'gpu',
      'records',
      'opening',
      'owner',
      'draft',
      'busy',
      'problems',
    ]);
  }

  override render() {
    const { run, live, status, statusDetail } = this.state;
    if (!run) return html`<tabgym-welcome .app=${this.app}></tabgym-welcome>`;
    if (status === 'failed') return this.renderFailed(statusDetail);
    return html`${this.renderHead()} ${live.length ? this.renderLive(live) : this.renderQuiet()}`;
  }

  private renderFailed(detail: string) {
    const again = html`<button class="primary" @click=${() => this.app.train()}>${msg('Try again from the last step')}</button>`;
    return errorState(detail || msg('The run stopped. Everything up to its last step is stored.'), again);
  }

  private renderHead() {
    const { watching, status, live } = this.state;
    const last = live.at(-1);
    const training = isActive(status);
    return html`<div class="row spread head">
      <div class="row">
        ${training && last ? html`<span class="pulse" aria-hidden="true"></span><strong>${msg('Live')}</strong>` : nothing}
        ${last ? html`<span class="soft number">${training ? msg(str`step ${last.step}, group ${last.group + 1}, episode ${last.member + 1}`) : watching ? msg('playing without training') : msg('the last episode watched')}</span>` : nothing}
      </div>
      ${training ? nothing : this.renderWatchForm(watching)}
    </div>`;
  }

  /** Without training: choose a task and see the policy try it. */
  private renderWatchForm(watching: boolean) {
    const { gpu, owner } = this.state;
    if (!gpu?.supported || owner === 'another-tab') return nothing;
    if (watching) return html`<button @click=${() => this.app.stopWatching()}>${msg('Stop watching')}</button>`;
    return html`<form class="row task" @submit=${this.submit}>
      <label class="row" style="gap:4px">${msg('Goals')}
        <select @change=${(event: Event) => (this.split = (event.target as HTMLSelectElement).value as 'train' | 'test')}>
          <option value="test" ?selected=${this.split === 'test'}>${msg('held-out')}</option>
          <option value="train" ?selected=${this.split === 'train'}>${msg('training')}</option>
        </select></label>
      <label class="row" style="gap:4px">${msg('Task')}
        <input class="number" type="number" min="0" .value=${String(this.task)} @change=${(event: Event) => (this.task = Math.max(0, Number((event.target as HTMLInputElement).value) || 0))} /></label>
      <button>${msg('Watch it try')}</button>
    </form>`;
  }

  private submit(event: Event) {
    event.preventDefault();
    void this.app.watch(this.split, this.task++);
  }

  private renderQuiet() {
    const { status, progress, records, opening, gpu, watching } = this.state;
    if (progress)
      return html`<div class="state" role="status"><span>${progressWords(progress)}</span>${progressBar(progress)}</div>`;
    if (opening || watching) return html`<div class="state" role="status">${msg('One moment')}…</div>`;
    if (status === 'running') return html`<div class="state">${msg('Waiting for the next turn of an episode.')}</div>`;
    if (!gpu?.supported)
      return emptyState(
        msg('Read what was recorded'),
        msg(
          'This run can be read here without a GPU: its curves below, its groups and trajectories in the other tabs.',
        ),
        this.readButton(),
      );
    if (records.some((record) => record.step > 0))
      return emptyState(
        msg('Paused'),
        msg('Train on, watch the policy try one task, or read the episodes of a step.'),
        this.readButton(),
      );
    return emptyState(
      msg('Ready to train'),
      msg('The policy has random weights. Press Train and watch its first tries.'),
      html`<button class="primary" ?disabled=${this.state.busy !== null} @click=${() => this.app.train()}>▶ ${msg('Train')}</button>`,
    );
  }

  private readButton() {
    return html`<button @click=${() => this.app.reading.select({ tab: 'group' })}>${msg('Read the episodes')}</button>`;
  }

  private renderLive(live: readonly LiveTurn[]) {
    const last = live.at(-1)!;
    return html`<div class="live">
      <tabgym-world-view .view=${last.view}></tabgym-world-view>
      <ol aria-label=${msg('Turns, newest first')}>${[...live].reverse().map((turn, index) => this.renderTurn(turn, index === 0))}</ol>
    </div>`;
  }

  private renderTurn(turn: LiveTurn, newest: boolean) {
    return html`<li class=${newest ? 'newest' : ''}>
      <div class="turn row spread"><span>${msg(str`Turn ${turn.turn + 1}`)}</span>
        ${turn.done ? html`<span class="badge ${turn.reward > 0 ? 'good' : ''}">${turn.reward > 0 ? '✓' : '■'} ${msg(str`reward ${fixed(turn.reward, 1)}`)}</span>` : nothing}</div>
      <div class="action"><span class="visually-hidden">${msg('Policy')}: </span>${turn.action}</div>
      <div class="observation" tabindex="0" role="group" aria-label=${msg('World')}>${turn.observation}</div>
    </li>`;
  }
}
