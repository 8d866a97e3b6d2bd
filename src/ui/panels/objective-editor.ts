/**
 * Dialog with an algorithm's objective as code: read, edited, checked against finite differences of its loss, and
 * reset. Closing the dialog keeps a changed text in the setup, so that nothing typed is lost.
 */
import { msg, str } from '@lit/localize';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { readPath } from '../../experiment/paths.ts';
import { type AnyAlgorithmSettings, algorithmOf, longestCode } from '../../rl/algorithms/registry.ts';
import { checkObjective, type ObjectiveCheck, type SlopeDifference } from '../../rl/objective-code/check.ts';
import { objectiveText } from '../../rl/objective-code/text/index.ts';
import { SandboxError } from '../../sandbox/errors.ts';
import { pagePort } from '../../sandbox/page-port.ts';
import { defaultLimits, Sandbox } from '../../sandbox/sandbox.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { CodeView } from './code-view.ts';

/**
 * Worker of the page's own sandbox, started by the first check. With the trainer's sandbox a check would wait for the
 * step in progress.
 */
const spawn = async () =>
  pagePort(new Worker(new URL('../../workers/sandbox-worker.ts', import.meta.url), { type: 'module', name: 'check' }));
const limits = { ...defaultLimits, deadlineMs: 5000 };

/** Most differences that are shown. */
const most = 8;

const digits = (value: number) => (value === 0 ? '0' : value.toPrecision(5));

type Outcome =
  | { state: 'none' | 'running' }
  | { state: 'done'; check: ObjectiveCheck }
  | { state: 'failed'; message: string };

@customElement('tabgym-objective-editor')
export class TabgymObjectiveEditor extends LitElement {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 1080px;
        height: min(920px, calc(100dvh - 24px));
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
      header {
        display: grid;
        gap: 4px;
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
      .result {
        display: grid;
        gap: 6px;
      }
      .outcome table {
        width: auto;
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
        header .long {
          display: none;
        }
        .outcome table {
          width: 100%;
        }
        th,
        td {
          padding: 3px 4px;
        }
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  /** Path of the algorithm's settings: `algorithm`, `stages.0.algorithm`. */
  @property() path = 'algorithm';
  @state() private outcome: Outcome = { state: 'none' };
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('.code') private place!: HTMLElement;
  private view: CodeView | null = null;
  private readonly sandbox = new Sandbox(spawn, limits);
  /** Text when the dialog opened. */
  private opened = '';

  private get settings(): AnyAlgorithmSettings {
    return readPath(this.app.store.state.draft, this.path) as AnyAlgorithmSettings;
  }

  /** Text of the built-in objective. */
  private get own(): string {
    return objectiveText(this.settings);
  }

  protected override firstUpdated(_: PropertyValues) {
    this.opened = this.settings.objectiveCode ?? this.own;
    this.view = new CodeView({
      parent: this.place,
      root: this.shadowRoot!,
      text: this.opened,
      label: msg('Objective as JavaScript. Control and Enter checks it; Tab leaves the editor.'),
      changed: () => this.edited(),
      submit: () => void this.check(),
    });
    this.dialog.showModal();
    this.view.focus();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.view?.destroy();
    void this.sandbox.close();
  }

  override render() {
    const { label } = algorithmOf(this.settings);
    return html`<dialog aria-labelledby="title" @keydown=${(event: Event) => event.stopPropagation()} @close=${this.closed}>
      <div class="inner">
        <header>
          <div class="row spread"><h2 id="title">${msg(str`The objective of ${label}`)}</h2>
            <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog.close()}>✕</button></div>
          <p class="soft">${msg('Your changes run in place of the built-in function, in a sandbox, and are part of the experiment.')}
            <span class="long">${msg('You may choose any loss; the slopes (weight, entropyWeight, valueWeight) must be its derivatives. Check compares them.')}</span></p>
        </header>
        <div class="code"></div>
        <div class="outcome" role="region" tabindex="0" aria-label=${msg('Result of the check')} ?hidden=${this.outcome.state === 'none'}>
          <div class="result" role="status" aria-live="polite">${this.renderOutcome()}</div></div>
        ${this.renderFooter(label)}
      </div>
    </dialog>`;
  }

  private renderFooter(label: string) {
    const { view } = this;
    const text = view?.text ?? this.opened;
    const long = text.length > longestCode;
    return html`<footer class="row">
      <button class="primary" ?disabled=${this.outcome.state === 'running' || long} aria-keyshortcuts="Control+Enter" @click=${() => void this.check()}>${msg('Check')}</button>
      <button ?disabled=${!view?.canUndo} @click=${() => this.change(() => view?.undo())}>${msg('Undo')}</button>
      <button ?disabled=${!view?.canRedo} @click=${() => this.change(() => view?.redo())}>${msg('Redo')}</button>
      <button ?disabled=${text === this.own} @click=${() => this.change(() => view?.replace(this.own))}>${msg(str`Reset to the built-in ${label}`)}</button>
      ${long ? html`<span class="bad" role="alert">${msg(str`${text.length} characters, at most ${longestCode}`)}</span>` : nothing}
      <span .style=${'flex:1'}></span>
      ${text === this.opened ? nothing : html`<button @click=${() => this.change(() => view?.replace(this.opened))}>${msg('Discard changes')}</button>`}
      <button @click=${() => this.dialog.close()}>${msg('Done')}</button>
    </footer>`;
  }

  private renderOutcome() {
    const { outcome } = this;
    if (outcome.state === 'running') return html`<p class="soft">${msg('Checking')}…</p>`;
    if (outcome.state === 'failed') return html`<p class="message error">✕ ${outcome.message}</p>`;
    return outcome.state === 'done' ? this.renderCheck(outcome.check) : nothing;
  }

  private renderCheck({ differences, compared, rows, flat }: ObjectiveCheck) {
    if (flat)
      return html`<p class="message warning">! ${msg('Every slope is 0: with this objective the policy would not learn.')}</p>`;
    if (!differences.length)
      return html`<p class="message"><span class="good">✓</span> ${msg(str`The slopes match the loss: ${compared} were compared on ${rows} generated rows.`)}</p>`;
    return html`<p class="message error">✕ ${msg(str`${differences.length} of ${compared} slopes differ from those of the loss (finite differences on ${rows} generated rows).`)}</p>
      ${this.renderDifferences(differences)}`;
  }

  private renderDifferences(differences: readonly SlopeDifference[]) {
    return html`<table>
        <thead><tr><th class="number">${msg('Row')}</th><th>${msg('Column')}</th><th class="number">${msg('In the code')}</th>
          <th class="number">${msg('Of the loss')}</th><th class="number">${msg('Difference')}</th></tr></thead>
        <tbody>${differences.slice(0, most).map(
          ({ row, column, claimed, found }) => html`<tr><td class="number">${row}</td><td class="mono">${column}</td>
            <td class="number">${digits(claimed)}</td><td class="number">${digits(found)}</td><td class="number">${digits(claimed - found)}</td></tr>`,
        )}</tbody></table>
      ${differences.length > most ? html`<p class="soft">${msg(str`and ${differences.length - most} more, none larger`)}</p>` : nothing}`;
  }

  /** The result belongs to an older text, so it is cleared. */
  private edited() {
    if (this.outcome.state !== 'running') this.outcome = { state: 'none' };
    this.requestUpdate();
  }

  private async check() {
    const { view } = this;
    if (!view || this.outcome.state === 'running') return;
    this.outcome = { state: 'running' };
    const code = view.text;
    const { objectiveCode: _, ...settings } = this.settings;
    let outcome: Outcome;
    view.mark(null);
    try {
      const check = await checkObjective(this.sandbox, { code, settings: settings as AnyAlgorithmSettings });
      outcome = { state: 'done', check };
    } catch (error) {
      outcome = { state: 'failed', message: sentence(error) };
      if (error instanceof SandboxError && view.text === code) view.mark(error.place, error.message);
    }
    this.outcome = view.text === code ? outcome : { state: 'none' };
  }

  /** The pressed button may now be disabled, so the focus moves to the text. */
  private change(how: () => void) {
    how();
    this.view?.focus();
  }

  /** Stores a changed text in the setup, however the dialog was closed. */
  private closed() {
    const text = this.view?.text ?? this.opened;
    if (text !== this.opened) {
      const own = text.trim() === '' || text === this.own;
      if (!own) void this.app.consent.allow(text);
      this.app.draft.edit(`${this.path}.objectiveCode`, own ? undefined : text);
    }
    this.dispatchEvent(new Event('closed'));
  }
}
