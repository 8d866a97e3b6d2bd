/**
 * Dialog with a typed world as code: templates, the check-up, and files. The random player and the oracle play it in a
 * worker of the page's own.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { type CheckUp, checkUp } from '../../envs/check-up.ts';
import type { World, WorldView } from '../../envs/env.ts';
import { randomAction } from '../../envs/random-player.ts';
import { readPath } from '../../experiment/paths.ts';
import { type NamedWorld, readWorldFile } from '../../experiment/world-file.ts';
import {
  isLearnable,
  typedExperiment,
  typedPreset,
  type WorldTokens,
  worldTokens,
} from '../../models/typed-experiment.ts';
import { typedWorld, worldTemplates } from '../../worlds/registry.ts';
import { sentence } from '../control/notifier.ts';
import { checkFindingText, horizonText, playerText, tokensText } from './check-up-texts.ts';
import { CodeDialog, type Mark, type TrialOutcome } from './code-dialog.ts';
import { codeHelpStyles } from './code-help.ts';
import { type OpenWorldEvent, saveWorld } from './kept-worlds.ts';
import { worldHelp } from './world-help.ts';
import { openOwnWorker } from './world-worker.ts';

const longestCode = 65_536;
/** Turns of the random player that are shown. */
const shownTurns = 12;

interface ShownTurn {
  action: string;
  text: string;
  reward: number;
}

type Tried =
  | { state: 'checked'; report: CheckUp; tokens: WorldTokens }
  | { state: 'played'; turns: ShownTurn[]; view: WorldView };

const templateTitles = (): { [name: string]: string } => ({
  guess: msg('Guess a number'),
  vending: msg('Vending machine'),
  keys: msg('Grid with keys'),
  // not a kind: a template's name
  shop: msg('Shop assistant'),
  questions: msg('Twenty questions over a table'),
  nim: msg('Game for two: sticks'),
});

/** Findings with which no policy learns. */
const hopeless = new Set<CheckUp['findings'][number]['kind']>(['fails', 'same-reward', 'no-actions']);

@customElement('tabgym-world-editor')
export class TabgymWorldEditor extends CodeDialog<Tried> {
  static override styles = [
    ...CodeDialog.styles,
    codeHelpStyles,
    css`
      .turns {
        margin: 0;
        padding-inline-start: 24px;
        overflow-wrap: anywhere;
      }
      @media (max-width: 860px) {
        footer {
          padding: 6px 10px;
          gap: 4px;
        }
      }
    `,
  ];

  /** Path of the code: `worlds.0.options.code`. */
  @property() path = '';
  @state() private templates: { readonly [name: string]: string } = {};
  /** Name of the world in the editor: of the template, the kept world or the file that it was opened from. */
  @state() private name = msg('My world');
  @query('input[type=file]') private file!: HTMLInputElement;
  private world: Promise<World> | null = null;
  private plays = 0;

  protected override get stored() {
    const code = readPath(this.app.store.state.draft, this.path) as string | undefined;
    return code ?? (typedWorld().options({}) as { code: string }).code;
  }

  protected override get words() {
    return {
      heading: msg('Your own world'),
      label: msg('World as JavaScript. Control and Enter checks it; Tab leaves the editor.'),
      outcome: msg('Result of the check'),
      busy: msg('Checking'),
    };
  }

  protected override get longest() {
    return longestCode;
  }

  protected override firstUpdated() {
    super.firstUpdated();
    void worldTemplates().then((templates) => {
      this.templates = templates;
    });
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    void this.world?.then((world) => world.close());
  }

  protected override renderIntroduction() {
    return html`<p class="soft">${msg('It runs in a sandbox and is part of the experiment.')}
        <span class="long">${msg('tasks(seed) lists the tasks, reset(task) begins an episode, step(action) answers with { text, reward, done }, validActions() lists the actions. A last reward of 1 is success.')}</span></p>
      ${worldHelp()}
      ${this.renderTemplates()}
      <tabgym-kept-worlds name=${this.name} .current=${() => this.current} @open-world=${this.openKept}></tabgym-kept-worlds>`;
  }

  /** Path of the world's entry in the mixture. */
  private get entry() {
    return this.path.replace(/\.options\..*$/, '');
  }

  /** Options of the world in the setup, with the code of the editor. */
  private get current(): NamedWorld {
    const options = readPath(this.app.store.state.draft, `${this.entry}.options`) as NamedWorld['options'] | undefined;
    return { name: this.name, options: { ...options, code: this.text } };
  }

  private renderTemplates() {
    const titles = templateTitles();
    return html`<label class="row">${msg('Start from')}
      <select @change=${this.choose}><option value="">${msg('a template…')}</option>
        ${Object.keys(this.templates).map((name) => html`<option value=${name}>${titles[name] ?? name}</option>`)}</select></label>`;
  }

  protected override renderTrial(disabled: boolean) {
    return html`<button class="primary" ?disabled=${disabled} aria-keyshortcuts="Control+Enter" @click=${() => void this.run()}>${msg('Check')}</button>
      <button ?disabled=${disabled} @click=${() => void this.run(this.playAtRandom)}>${msg('Let the random player play')}</button>
      <button ?disabled=${disabled} @click=${() => void this.play()}>${msg('Play it yourself')}</button>
      <button ?disabled=${disabled} @click=${() => void this.run(this.checkAndTrain)}>${msg('Train a policy')}</button>`;
  }

  protected override renderMore() {
    return html`<button @click=${() => saveWorld(this.current)}>${msg('Save as a file')}</button>
      <button @click=${() => this.file.click()}>${msg('Open a file')}</button>
      <input type="file" hidden accept=".tabworld,.js" @change=${this.openFile} />`;
  }

  protected override renderDone(outcome: Tried) {
    return outcome.state === 'played' ? this.renderPlayed(outcome) : this.renderReport(outcome);
  }

  private renderReport({ report, tokens }: Tried & { state: 'checked' }) {
    const { tasks, chance, oracle, findings, horizon } = report;
    const problems = findings.filter(({ note }) => !note);
    return html`${
      isLearnable(report, tokens)
        ? html`<p class="message"><span class="good">✓</span> ${msg('Nothing keeps a policy from learning it.')}</p>`
        : problems.map((each) => html`<p class="message error">✕ ${checkFindingText(each)}</p>`)
    }
    ${findings.filter(({ note }) => note).map((each) => html`<p class="message warning">! ${checkFindingText(each)}</p>`)}
    <p class="small">${playerText(msg('Random player'), chance)} ${oracle ? playerText(msg('Oracle'), oracle) : nothing}
      ${msg(str`Tasks: ${tasks.train} for training, ${tasks.test} held out.`)}</p>
    <p class="small soft">${horizonText(horizon)} ${tokensText(tokens)}</p>`;
  }

  private renderPlayed({ turns, view }: Tried & { state: 'played' }) {
    return html`<ol class="turns">${turns.map(
      ({ action, text, reward }) =>
        html`<li>${action ? html`<strong>${action}</strong> → ` : nothing}${text}${reward ? html` <span class="soft">(${msg(str`reward ${reward}`)})</span>` : nothing}</li>`,
    )}</ol><pre class="message">${view.text}</pre>`;
  }

  private opening(): Promise<World> {
    this.world ??= openOwnWorker(typedWorld());
    return this.world;
  }

  protected override async attempt(code: string): Promise<Tried> {
    const { draft } = this.app.store.state;
    const { options } = this.current;
    const report = await checkUp(
      await this.opening(),
      { ...options, code },
      { horizon: draft?.horizon.at(-1)?.turns ?? 100 },
    );
    return { state: 'checked', report, tokens: worldTokens(report) };
  }

  /** Trains in the world unless the check-up found that nothing could be learned. */
  private checkAndTrain = async (code: string): Promise<Tried> => {
    const outcome = await this.attempt(code);
    if (outcome.state === 'checked' && outcome.report.findings.every(({ kind }) => !hopeless.has(kind)))
      await this.train(code, outcome.report);
    return outcome;
  };

  /** Replaces the draft with the experiment for this world. Settings changed from the preset of typed worlds stay. */
  private async train(code: string, report: CheckUp) {
    const { presets, preset, draft } = this.app.store.state;
    const first = typedPreset(presets);
    const base = draft && presets[preset] === first && draft.worlds.length === 1 ? draft : first;
    const { name, options } = this.current;
    await this.app.consent.allow(code);
    const typed = typedExperiment(base, name, { ...options, code }, report);
    if (base === draft) this.app.draft.change(typed, presets.indexOf(first));
    else this.app.draft.use(typed, presets.indexOf(first));
    this.leave(code);
    void this.app.train();
  }

  /** Makes a run of the draft with this world and opens Play. */
  private async play() {
    const code = this.text;
    this.keep(code);
    this.leave(code);
    if (!(await this.app.create())) return;
    this.app.layout.showPanel('stage');
    this.app.navigation.select({ tab: 'play' });
  }

  /** Closes the dialog; the setup has the text already. */
  private leave(code: string) {
    this.opened = code;
    this.close();
  }

  private playAtRandom = async (code: string): Promise<Tried> => {
    const world = await this.opening();
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
  };

  /** The line that a failure names: a world's errors come from its worker as text. */
  protected override markOf(outcome: TrialOutcome<Tried>): Mark | null {
    const message =
      'message' in outcome
        ? outcome.message
        : outcome.state === 'checked'
          ? (outcome.report.findings.find(({ kind }) => kind === 'fails')?.detail ?? '')
          : '';
    const [, line, column = '1'] = /line (\d+)(?:, column (\d+))?/.exec(message) ?? [];
    return line ? { place: { line: Number(line), column: Number(column) }, message } : null;
  }

  private choose = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const name = select.value;
    const code = this.templates[name];
    select.value = '';
    if (code === undefined) return;
    this.name = templateTitles()[name] ?? name;
    this.change(() => this.view?.replace(code));
  };

  private openKept = ({ world }: OpenWorldEvent) => this.openWorld(world);

  private openWorld({ name, options }: NamedWorld) {
    this.name = name;
    this.change(() => this.view?.replace(options.code as string));
  }

  private openFile = async () => {
    const file = this.file.files?.[0];
    this.file.value = '';
    if (!file) return;
    try {
      const text = await file.text();
      const name = file.name.replace(/\.\w+$/, '').slice(0, 120);
      this.openWorld(file.name.endsWith('.js') ? { name, options: { code: text } } : readWorldFile(text, file.name));
    } catch (error) {
      this.outcome = { state: 'failed', message: sentence(error) };
    }
  };

  protected override keep(text: string) {
    this.keepAt(this.path, text);
  }
}
