/**
 * Dialog with a typed world as code: templates, the check-up, and files. The random player and the oracle play it in a
 * worker of the page's own. Closing the dialog keeps a changed text in the setup, so that nothing typed is lost.
 */
import { msg, str } from '@lit/localize';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { type CheckUp, checkUp } from '../../envs/check-up.ts';
import type { World, WorldView } from '../../envs/env.ts';
import { randomAction } from '../../envs/random-player.ts';
import { readPath } from '../../experiment/paths.ts';
import { readWorldFile, writeWorldFile } from '../../experiment/world-file.ts';
import { typedWorld, worldTemplates } from '../../worlds/registry.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { download } from '../kit/download.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';
import { checkFindingText, playerText } from './check-up-texts.ts';
import { CodeView } from './code-view.ts';
import { worldEditorStyles } from './world-editor-styles.ts';
import { openOwnWorker } from './world-worker.ts';

const longestCode = 65_536;
/** Turns of the random player that are shown. */
const shownTurns = 12;

interface ShownTurn {
  action: string;
  text: string;
  reward: number;
}

type Outcome =
  | { state: 'none' | 'running' }
  | { state: 'checked'; report: CheckUp }
  | { state: 'played'; turns: ShownTurn[]; view: WorldView }
  | { state: 'failed'; message: string };

const templateTitles = (): { [name: string]: string } => ({
  guess: msg('Guess a number'),
  vending: msg('Vending machine'),
  keys: msg('Grid with keys'),
  shop: msg('Shop assistant'),
  questions: msg('Twenty questions over a table'),
  nim: msg('Game for two: sticks'),
});

@customElement('tabgym-world-editor')
export class TabgymWorldEditor extends LitElement {
  static override styles = [controls, dialogStyles, worldEditorStyles];

  @property({ attribute: false }) app!: Controller;
  /** Path of the code: `worlds.0.options.code`. */
  @property() path = '';
  @state() private outcome: Outcome = { state: 'none' };
  @state() private templates: { readonly [name: string]: string } = {};
  @query('dialog') private dialog!: HTMLDialogElement;
  @query('.code') private place!: HTMLElement;
  @query('input[type=file]') private file!: HTMLInputElement;
  private view: CodeView | null = null;
  private world: Promise<World> | null = null;
  /** Text when the dialog opened. */
  private opened = '';
  private plays = 0;

  private get stored(): string | undefined {
    return readPath(this.app.store.state.draft, this.path) as string | undefined;
  }

  protected override firstUpdated(_: PropertyValues) {
    const first = (typedWorld().options({}) as { code: string }).code;
    this.opened = this.stored ?? first;
    void worldTemplates().then((templates) => {
      this.templates = templates;
    });
    this.view = new CodeView({
      parent: this.place,
      root: this.shadowRoot!,
      text: this.opened,
      label: msg('World as JavaScript. Control and Enter checks it; Tab leaves the editor.'),
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
    void this.world?.then((world) => world.close());
  }

  override render() {
    return html`<dialog aria-labelledby="title" @keydown=${(event: Event) => event.stopPropagation()} @close=${this.closed}>
      <div class="inner">
        <header>
          <div class="row spread"><h2 id="title">${msg('Your own world')}</h2>
            <button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog.close()}>✕</button></div>
          <p class="soft">${msg('It runs in a sandbox and is part of the experiment.')}
            <span class="long">${msg('tasks(seed) lists the tasks, reset(task) begins an episode, step(action) answers with { text, reward, done }, validActions() lists the actions. A last reward of 1 is success.')}</span></p>
          ${this.renderTemplates()}
        </header>
        <div class="code"></div>
        <div class="outcome" role="region" tabindex="0" aria-label=${msg('Result of the check')} ?hidden=${this.outcome.state === 'none'}>
          <div class="result" role="status" aria-live="polite">${this.renderOutcome()}</div></div>
        ${this.renderFooter()}
      </div>
    </dialog>`;
  }

  private renderTemplates() {
    const titles = templateTitles();
    return html`<label class="row">${msg('Start from')}
      <select @change=${this.choose}><option value="">${msg('a template…')}</option>
        ${Object.keys(this.templates).map((name) => html`<option value=${name}>${titles[name] ?? name}</option>`)}</select></label>`;
  }

  private renderFooter() {
    const { view } = this;
    const text = view?.text ?? this.opened;
    const long = text.length > longestCode;
    const busy = this.outcome.state === 'running' || long;
    return html`<footer class="row">
      <button class="primary" ?disabled=${busy} aria-keyshortcuts="Control+Enter" @click=${() => void this.check()}>${msg('Check')}</button>
      <button ?disabled=${busy} @click=${() => void this.playAtRandom()}>${msg('Let the random player play')}</button>
      <button ?disabled=${!view?.canUndo} @click=${() => this.change(() => view?.undo())}>${msg('Undo')}</button>
      <button ?disabled=${!view?.canRedo} @click=${() => this.change(() => view?.redo())}>${msg('Redo')}</button>
      <button @click=${() => this.save()}>${msg('Save as a file')}</button>
      <button @click=${() => this.file.click()}>${msg('Open a file')}</button>
      <input type="file" hidden accept=".tabworld,.js" @change=${this.openFile} />
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
    if (outcome.state === 'played') return this.renderPlayed(outcome);
    return outcome.state === 'checked' ? this.renderReport(outcome.report) : nothing;
  }

  private renderReport({ tasks, chance, oracle, findings }: CheckUp) {
    const problems = findings.filter(({ note }) => !note);
    return html`${
      problems.length
        ? problems.map((each) => html`<p class="message error">✕ ${checkFindingText(each)}</p>`)
        : html`<p class="message"><span class="good">✓</span> ${msg('Nothing keeps a policy from learning it.')}</p>`
    }
    ${findings.filter(({ note }) => note).map((each) => html`<p class="message warning">! ${checkFindingText(each)}</p>`)}
    <p class="small">${playerText(msg('Random player'), chance)} ${oracle ? playerText(msg('Oracle'), oracle) : nothing}
      ${msg(str`Tasks: ${tasks.train} for training, ${tasks.test} held out.`)}</p>`;
  }

  private renderPlayed({ turns, view }: Outcome & { state: 'played' }) {
    return html`<ol class="turns">${turns.map(
      ({ action, text, reward }) =>
        html`<li>${action ? html`<strong>${action}</strong> → ` : nothing}${text}${reward ? html` <span class="soft">(${msg(str`reward ${reward}`)})</span>` : nothing}</li>`,
    )}</ol><pre class="message">${view.text}</pre>`;
  }

  /** The result belongs to an older text, so it is cleared. */
  private edited() {
    if (this.outcome.state !== 'running') this.outcome = { state: 'none' };
    this.requestUpdate();
  }

  private check = () =>
    this.attempt(async (world, code) => ({ state: 'checked', report: await checkUp(world, { code }) }));

  private playAtRandom = () =>
    this.attempt(async (world, code) => {
      const tasks = await world.tasks({ code }, 'train');
      const seed = this.plays++;
      const [first] = await world.reset([0], [tasks[seed % tasks.length]]);
      const turns: ShownTurn[] = [{ action: '', text: first.failure ?? first.observation, reward: 0 }];
      let actions = first.validActions;
      let over = first.done;
      while (!over && actions?.length && turns.length <= shownTurns) {
        const action = randomAction(actions, seed, 0, turns.length);
        const [{ observation, reward, done, validActions, failure }] = await world.step([0], [action]);
        turns.push({ action, text: failure ?? observation, reward });
        actions = validActions ?? actions;
        over = done;
      }
      const view = await world.view(0);
      return { state: 'played', turns, view };
    });

  private async attempt(act: (world: World, code: string) => Promise<Outcome>) {
    const { view } = this;
    if (!view || this.outcome.state === 'running') return;
    this.outcome = { state: 'running' };
    const code = view.text;
    view.mark(null);
    let outcome: Outcome;
    try {
      this.world ??= openOwnWorker(typedWorld());
      outcome = await act(await this.world, code);
    } catch (error) {
      outcome = { state: 'failed', message: sentence(error) };
    }
    if (view.text === code) this.markPlace(outcome);
    this.outcome = view.text === code ? outcome : { state: 'none' };
  }

  /** Underlines the line that a failure names. */
  private markPlace(outcome: Outcome) {
    const message =
      outcome.state === 'failed'
        ? outcome.message
        : outcome.state === 'checked'
          ? (outcome.report.findings.find(({ kind }) => kind === 'fails')?.detail ?? '')
          : '';
    const [, line, column = '1'] = /line (\d+)(?:, column (\d+))?/.exec(message) ?? [];
    if (line) this.view?.mark({ line: Number(line), column: Number(column) }, message);
  }

  private choose = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const code = this.templates[select.value];
    select.value = '';
    if (code !== undefined) this.change(() => this.view?.replace(code));
  };

  private save() {
    const text = writeWorldFile({
      name: this.app.store.state.draft?.name ?? 'world',
      options: { code: this.view!.text },
    });
    download(new Blob([text], { type: 'application/json' }), 'world.tabworld');
  }

  private openFile = async () => {
    const file = this.file.files?.[0];
    this.file.value = '';
    if (!file) return;
    try {
      const text = await file.text();
      const code = file.name.endsWith('.js') ? text : (readWorldFile(text, file.name).options.code as string);
      this.change(() => this.view?.replace(code));
    } catch (error) {
      this.outcome = { state: 'failed', message: sentence(error) };
    }
  };

  /** The pressed button may now be disabled, so the focus moves to the text. */
  private change(how: () => void) {
    how();
    this.view?.focus();
  }

  /** Stores a changed text in the setup, however the dialog was closed. */
  private closed() {
    const text = this.view?.text ?? this.opened;
    if (text !== this.opened && text.trim() !== '') {
      void this.app.consent.allow(text);
      this.app.draft.edit(this.path, text);
    }
    this.dispatchEvent(new Event('closed'));
  }
}
