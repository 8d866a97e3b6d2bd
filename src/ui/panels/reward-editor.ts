/**
 * Dialog with a reward function as code: read, edited, and tried on the episodes of the shown step. Closing the dialog
 * keeps a changed text in the setup, so that nothing typed is lost.
 */
import { msg, str } from '@lit/localize';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { readPath } from '../../experiment/paths.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { newPart, partOf } from '../../rl/rewards/registry.ts';
import { SandboxError } from '../../sandbox/errors.ts';
import { pagePort } from '../../sandbox/page-port.ts';
import { defaultLimits, Sandbox } from '../../sandbox/sandbox.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { episodeCount } from '../kit/counts.ts';
import { compact } from '../kit/format.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { endingNames } from '../state/episodes.ts';
import { CodeView } from './code-view.ts';

/** Worker of the page's own sandbox: with the trainer's a check would wait for the step in progress. */
const spawn = async () =>
  pagePort(new Worker(new URL('../../workers/sandbox-worker.ts', import.meta.url), { type: 'module', name: 'check' }));
const limits = { ...defaultLimits, deadlineMs: 5000 };

/** Most episodes in the table of values. */
const mostShown = 8;

/** An episode of one turn, to run the code before the first step. */
const exampleOf = (world: string): Trajectory => ({
  task: { world, id: 0, options: {}, strata: {} },
  group: 0,
  member: 0,
  prompt: '',
  promptLength: 0,
  tokens: new Int32Array(0),
  source: new Uint8Array(0),
  turnOf: new Int16Array(0),
  logprob: new Float32Array(0),
  choices: null,
  turns: [
    {
      action: '',
      observation: '',
      reward: 0,
      valid: true,
      actionStart: 0,
      actionEnd: 0,
      observationStart: 0,
      observationEnd: 0,
    },
  ],
  score: 0,
  success: false,
  ending: 'horizon',
  horizon: 1,
  oracleTurns: null,
  advantage: 0,
  advantages: new Float32Array(0),
});

interface Tried {
  episodes: readonly Trajectory[];
  values: readonly number[];
}

type Outcome = { state: 'none' | 'running' } | ({ state: 'done' } & Tried) | { state: 'failed'; message: string };

@customElement('tabgym-reward-editor')
export class TabgymRewardEditor extends LitElement {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 980px;
        height: min(820px, calc(100dvh - 24px));
        max-width: none;
        max-height: none;
        padding: 0;
      }
      .inner {
        grid-template-rows: auto minmax(120px, 1fr) auto auto;
        gap: 0;
        height: 100%;
      }
      header,
      footer,
      .outcome {
        padding: 10px 14px;
      }
      .code {
        min-height: 0;
        border-block: 1px solid var(--line);
        overflow: hidden;
      }
      .outcome {
        max-height: 38dvh;
        overflow: auto;
        border-block-end: 1px solid var(--line);
      }
      .message {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      @media (max-width: 860px) {
        dialog {
          width: 100vw;
          height: 100dvh;
          border: 0;
          border-radius: 0;
        }
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  /** Path of the part. */
  @property() path = '';
  @state() private outcome: Outcome = { state: 'none' };
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('.code') private place!: HTMLElement;
  private view: CodeView | null = null;
  private readonly sandbox = new Sandbox(spawn, limits);
  private opened = '';

  protected override firstUpdated() {
    this.opened = String(readPath(this.app.store.state.draft, `${this.path}.code`) ?? '');
    this.view = new CodeView({
      parent: this.place,
      root: this.shadowRoot!,
      text: this.opened,
      label: msg('Reward function as JavaScript. Control and Enter tries it; Tab leaves the editor.'),
      changed: () => this.edited(),
      submit: () => void this.attempt(),
    });
    this.dialog.showModal();
    this.view.focus();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.view?.destroy();
    void this.sandbox.close();
  }

  override render() {
    const { outcome } = this;
    return html`<dialog aria-labelledby="title" @keydown=${(event: Event) => event.stopPropagation()} @close=${this.closed}>
      <div class="inner">
        <header>
          <div class="row spread"><h2 id="title">${msg('Reward function')}</h2>
            <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog.close()}>✕</button></div>
          <p class="soft">${msg('reward(episode) returns a number. It reads the task, the texts and the result of an episode, in a sandbox.')}</p>
        </header>
        <div class="code"></div>
        <div class="outcome" role="region" tabindex="0" aria-label=${msg('Values of the function')} ?hidden=${outcome.state === 'none'}>
          <div role="status" aria-live="polite">${this.renderOutcome()}</div></div>
        <footer class="row">
          <button class="primary" ?disabled=${outcome.state === 'running'} aria-keyshortcuts="Control+Enter" @click=${() => void this.attempt()}>${msg('Try it')}</button>
          <button @click=${() => this.view?.undo()}>${msg('Undo')}</button>
          <button @click=${() => this.view?.redo()}>${msg('Redo')}</button>
          <span .style=${'flex:1'}></span>
          <button @click=${() => this.dialog.close()}>${msg('Done')}</button>
        </footer>
      </div>
    </dialog>`;
  }

  private renderOutcome() {
    const { outcome } = this;
    if (outcome.state === 'running') return html`<p class="soft">${msg('Trying')}…</p>`;
    if (outcome.state === 'failed') return html`<p class="message error">✕ ${outcome.message}</p>`;
    return outcome.state === 'done' ? this.renderValues(outcome) : nothing;
  }

  private renderValues({ episodes, values }: Tried) {
    if (!episodes.length)
      return html`<p class="message">✓ ${msg('The function runs. Its values appear here after the first training step.')}</p>`;
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return html`<p class="message">✓ ${msg(str`${episodeCount(episodes.length)} of the shown step: values from ${compact(least)} to ${compact(most)}.`)}</p>
      <table><thead><tr><th>${msg('Episode')}</th><th class="number">${msg('Value')}</th><th class="number">${msg('Score')}</th><th>${msg('Ending')}</th></tr></thead>
        <tbody>${episodes
          .slice(0, mostShown)
          .map(
            (each, k) =>
              html`<tr><td>${each.group + 1}.${each.member + 1}</td><td class="number">${compact(values[k])}</td><td class="number">${compact(each.score)}</td><td>${endingNames()[each.ending]}</td></tr>`,
          )}</tbody></table>`;
  }

  private edited() {
    if (this.outcome.state !== 'running') this.outcome = { state: 'none' };
  }

  /** Runs the code on the episodes of the shown step. */
  private async attempt() {
    const { view } = this;
    if (!view || this.outcome.state === 'running') return;
    this.outcome = { state: 'running' };
    const code = view.text;
    view.mark(null);
    const { detail, draft } = this.app.store.state;
    const episodes = detail.state === 'ready' ? detail.value.trajectories : [];
    const tried = episodes.length ? episodes : [exampleOf(draft?.worlds[0].name ?? '')];
    let outcome: Outcome;
    try {
      const part = { ...newPart('function'), code };
      const values = await partOf(part).values(tried, part, { runner: this.sandbox });
      outcome = { state: 'done', episodes, values };
    } catch (error) {
      outcome = { state: 'failed', message: sentence(error) };
      if (error instanceof SandboxError && view.text === code) view.mark(error.place, error.message);
    }
    this.outcome = view.text === code ? outcome : { state: 'none' };
  }

  /** Stores a changed text in the setup, however the dialog was closed. */
  private closed() {
    const text = this.view?.text ?? this.opened;
    if (text !== this.opened && text.trim() !== '') {
      void this.app.consent.allow(text);
      this.app.draft.edit(`${this.path}.code`, text);
    }
    this.dispatchEvent(new Event('closed'));
  }
}
