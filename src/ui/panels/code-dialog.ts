/**
 * Base of the dialogs with a person's code: the editor, a trial of the text in a sandbox with its outcome below, and
 * undo. Closing the dialog keeps a changed text in the setup, so that nothing typed is lost.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { type CodePlace, SandboxError } from '../../sandbox/errors.ts';
import { pagePort } from '../../sandbox/page-port.ts';
import { defaultLimits, Sandbox } from '../../sandbox/sandbox.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { CodeView } from './code-view.ts';

/**
 * A sandbox of the page's own, whose worker starts with the first trial. With the trainer's sandbox a trial would wait
 * for the step in progress.
 */
export const trialSandbox = () =>
  new Sandbox(
    async () =>
      pagePort(
        new Worker(new URL('../../workers/sandbox-worker.ts', import.meta.url), { type: 'module', name: 'check' }),
      ),
    { ...defaultLimits, deadlineMs: 5000 },
  );

/** Outcome of the last trial; `Done`: of one that ended. */
export type TrialOutcome<Done extends { state: string }> =
  | { state: 'none' | 'running' }
  | { state: 'failed'; message: string }
  | Done;

export interface Mark {
  place: CodePlace | null;
  message: string;
}

export interface DialogWords {
  heading: string;
  /** Label of the editor, and of the outcome, for screen readers. */
  label: string;
  outcome: string;
  /** A trial in progress. */
  busy: string;
}

export abstract class CodeDialog<Done extends { state: string }> extends LocalizedElement {
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
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  @state() protected outcome: TrialOutcome<Done> = { state: 'none' };
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('.code') private place!: HTMLElement;
  @query('.outcome') private result!: HTMLElement;
  protected view: CodeView | null = null;
  /** Text when the dialog opened. */
  protected opened = '';

  /** Text to open with. */
  protected abstract get stored(): string;
  protected abstract get words(): DialogWords;
  /** Tries the text and returns the outcome. */
  protected abstract attempt(code: string): Promise<Done>;
  /** Stores a changed text in the setup. */
  protected abstract keep(text: string): void;
  protected abstract renderIntroduction(): TemplateResult;
  protected abstract renderDone(outcome: Done): TemplateResult;
  /** Buttons before undo, and between redo and Done. */
  protected abstract renderTrial(disabled: boolean): TemplateResult;
  protected renderMore(): TemplateResult | typeof nothing {
    return nothing;
  }
  /** Maximum number of characters of a text; null: no bound of the dialog's own. */
  protected get longest(): number | null {
    return null;
  }

  /** Place that a finished or failed trial names in the text; null: none. */
  protected markOf(_outcome: TrialOutcome<Done>, error: unknown): Mark | null {
    return error instanceof SandboxError ? { place: error.place, message: error.message } : null;
  }

  protected override firstUpdated() {
    this.opened = this.stored;
    this.view = new CodeView({
      parent: this.place,
      root: this.shadowRoot!,
      text: this.opened,
      label: this.words.label,
      changed: () => this.edited(),
      submit: () => void this.run(),
    });
    this.dialog.showModal();
    this.view.focus();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.view?.destroy();
  }

  protected get text(): string {
    return this.view?.text ?? this.opened;
  }

  override render() {
    const { heading, outcome: label } = this.words;
    return html`<dialog aria-labelledby="title" @keydown=${(event: Event) => event.stopPropagation()} @close=${this.closed}>
      <div class="inner">
        <header>
          <div class="row spread"><h2 id="title">${heading}</h2>
            <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog.close()}>✕</button></div>
          ${this.renderIntroduction()}
        </header>
        <div class="code"></div>
        <div class="outcome" role="region" tabindex="0" aria-label=${label} ?hidden=${this.outcome.state === 'none'}>
          <div class="result" role="status" aria-live="polite">${this.renderOutcome()}</div></div>
        ${this.renderFooter()}
      </div>
    </dialog>`;
  }

  private renderFooter() {
    const { view, text, longest } = this;
    const long = longest !== null && text.length > longest;
    return html`<footer class="row">
      ${this.renderTrial(this.outcome.state === 'running' || long)}
      <button ?disabled=${!view?.canUndo} @click=${() => this.change(() => view?.undo())}>${msg('Undo')}</button>
      <button ?disabled=${!view?.canRedo} @click=${() => this.change(() => view?.redo())}>${msg('Redo')}</button>
      ${this.renderMore()}
      ${long ? html`<span class="bad" role="alert">${msg(str`${text.length} characters, at most ${longest}`)}</span>` : nothing}
      <span .style=${'flex:1'}></span>
      ${text === this.opened ? nothing : html`<button @click=${() => this.change(() => view?.replace(this.opened))}>${msg('Discard changes')}</button>`}
      <button @click=${() => this.dialog.close()}>${msg('Done')}</button>
    </footer>`;
  }

  private renderOutcome() {
    const { outcome } = this;
    if (outcome.state === 'none') return nothing;
    if (outcome.state === 'running') return html`<p class="soft">${this.words.busy}…</p>`;
    if (outcome.state === 'failed')
      return html`<p class="message error">✕ ${(outcome as { message: string }).message}</p>`;
    return this.renderDone(outcome as Done);
  }

  /** The result belongs to an older text, so it is cleared. */
  private edited() {
    if (this.outcome.state !== 'running') this.outcome = { state: 'none' };
    this.requestUpdate();
  }

  /** Runs a trial of the text. Its outcome is dropped if the text was changed meanwhile. */
  protected async run(attempt = (code: string) => this.attempt(code)) {
    const { view } = this;
    if (!view || this.outcome.state === 'running') return;
    const isPressed = this.shadowRoot!.activeElement instanceof HTMLButtonElement;
    this.outcome = { state: 'running' };
    const code = view.text;
    view.mark(null);
    await this.updateComplete;
    // The pressed button is disabled now. Without a focus in the dialog, keys would reach the page behind it.
    if (isPressed) this.result.focus();
    let outcome: TrialOutcome<Done>;
    let thrown: unknown = null;
    try {
      outcome = await attempt(code);
    } catch (error) {
      thrown = error;
      outcome = { state: 'failed', message: sentence(error) };
    }
    const isCurrent = view.text === code;
    const mark = isCurrent ? this.markOf(outcome, thrown) : null;
    if (mark) view.mark(mark.place, mark.message);
    this.outcome = isCurrent ? outcome : { state: 'none' };
  }

  /** The pressed button may now be disabled, so the focus moves to the text. */
  protected change(how: () => void) {
    how();
    this.view?.focus();
  }

  protected close() {
    this.dialog.close();
  }

  /** Stores a text that is not blank at a path of the setup, as code that this person allows to run. */
  protected keepAt(path: string, text: string) {
    if (text.trim() === '') return;
    void this.app.consent.allow(text);
    this.app.draft.edit(path, text);
  }

  private closed() {
    if (this.text !== this.opened) this.keep(this.text);
    this.dispatchEvent(new Event('closed'));
  }
}
