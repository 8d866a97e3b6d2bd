/**
 * One batch, every method: the chosen methods on the episodes of one step, or on a step of a training log, side by side
 * with their formulas, settings and numbers. The trainer's worker computes them with the modules that train.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { dpo, drGrpo, grpo, ppo, rloo } from '../../rl/algorithms/modules.ts';
import { algorithms } from '../../rl/algorithms/registry.ts';
import { trainingStageAt } from '../../rl/settings.ts';
import type { RecordedFile, RecordedStep } from '../../rl/unipo.ts';
import type { ComparisonRequest, StepComparison } from '../../session/protocol.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { stepCount } from '../kit/counts.ts';
import { download } from '../kit/download.ts';
import { emptyState, errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { comparisonCsv, type Division, divisions, shareRows, trainedEpisodes } from '../state/comparison.ts';
import { shownStep } from '../state/focus.ts';
import { comparisonSvg } from './compare-figure.ts';
import { compareStyles } from './compare-styles.ts';
import { cosineTable, methodColumns, numberTable, shareTable } from './compare-tables.ts';
import { learnStyles } from './styles.ts';

/** Methods that are compared at first, beside the run's own. */
const firstMethods = [grpo, drGrpo, rloo, ppo, dpo].map(({ name }) => name);
const largestLog = 64 * 1024 * 1024;
/** Milliseconds after the last change of a setting before the batch is computed again. */
const rest = 350;

type Shown =
  | { state: 'none' | 'loading' | 'busy' }
  | { state: 'ready'; value: StepComparison }
  | { state: 'error'; message: string };

/** Letters and digits of a name, since logs write it in several ways. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

@customElement('tabgym-compare')
export class TabgymCompare extends Panel {
  static override styles = [controls, learnStyles, compareStyles];

  @state() private chosen: readonly string[] | null = null;
  @state() private settings: { readonly [method: string]: { readonly [path: string]: unknown } } = {};
  @state() private weights: ComparisonRequest['weights'] = 'after';
  @state() private division: Division = 'episode';
  @state() private episode = '';
  @state() private shown: Shown = { state: 'none' };
  @state() private log: { name: string; file: RecordedFile; step: RecordedStep } | null = null;
  @state() private problem = '';
  /** Place that the shown numbers belong to. */
  private place = '';
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super(['run', 'records', 'selection', 'status', 'tokenTexts', 'detail', 'locale', 'kept']);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  private get step(): number | null {
    return this.log ? this.log.step.step : shownStep(this.state);
  }

  /** Name of the method that the batch was played for. */
  private get own(): string {
    const { run } = this.state;
    const recorded = this.log && algorithms.find(({ name }) => plain(name) === plain(this.log!.file.header.algorithm));
    if (this.log) return recorded?.name ?? grpo.name;
    return run && this.step !== null
      ? trainingStageAt(run.experiment, Math.max(1, this.step)).algorithm.name
      : grpo.name;
  }

  private get methods(): readonly string[] {
    return this.chosen ?? [this.own, ...firstMethods.filter((name) => name !== this.own)];
  }

  override render() {
    return html`<h2>${msg('One batch, every method')}</h2>
      <p class="intro">${msg('The episodes of one step under several methods: who gets credit, who is clipped, and where each gradient points. Nothing is trained.')}</p>
      ${this.renderSource()}
      ${this.renderMethods()}
      ${this.renderShown()}`;
  }

  private renderSource() {
    const { log, step } = this;
    const pick = () => this.renderRoot.querySelector<HTMLInputElement>('#log')?.click();
    const steps = log?.file.steps ?? [];
    const choose = (event: Event) => {
      const found = steps[Number((event.target as HTMLSelectElement).value)];
      if (log && found) this.log = { ...log, step: found };
      this.compute();
    };
    const where = log
      ? html`<span class="mono">${log.name}</span> <label>${msg('Step')} <select @change=${choose}>${steps.map((each, k) => html`<option value=${k} ?selected=${each === log.step}>${each.step}</option>`)}</select></label>`
      : html`<span class="number">${step === null ? msg('No step of a run is selected.') : msg(str`Step ${step} of the run in focus`)}</span>`;
    const weights = (event: Event) => {
      this.weights = (event.target as HTMLSelectElement).value as ComparisonRequest['weights'];
      this.recompute();
    };
    return html`<div class="row place">${where}</div>
      <div class="row">
        <label>${msg('Weights')} <select data-do="weights" @change=${weights}>
          <option value="after" ?selected=${this.weights === 'after'}>${msg('after the step')}</option>
          <option value="before" ?selected=${this.weights === 'before'}>${msg('before the step: all ratios are 1')}</option></select></label>
        <button data-do="log" @click=${pick}>${msg('Open a training log')}</button>
        ${log ? html`<button class="quiet" @click=${this.closeLog}>${msg('Back to the run')}</button>` : nothing}
        <input id="log" type="file" accept=".json,.jsonl" aria-label=${msg('Training log in UNIPO’s form')} @change=${this.openLog} />
      </div>
      ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : nothing}`;
  }

  private renderMethods() {
    const { methods } = this;
    const toggle = (name: string) => {
      const all = algorithms.map((each) => each.name);
      this.chosen = methods.includes(name)
        ? methods.filter((each) => each !== name)
        : [...methods, ...all.filter((each) => each === name)];
      this.recompute();
    };
    const every = () => {
      this.chosen = [this.own, ...algorithms.map(({ name }) => name).filter((name) => name !== this.own)];
      this.recompute();
    };
    return html`<details class="methods"><summary>${msg(str`Methods (${methods.length})`)}</summary>
        <div class="choices">${algorithms.map(({ name, label }) => html`<label class="choice"><input type="checkbox" .checked=${methods.includes(name)} @change=${() => toggle(name)} /><span>${label}</span></label>`)}</div>
        <button data-do="all" @click=${every}>${msg('Choose all')}</button></details>
      <div class="row"><button class="primary" data-do="compare" ?disabled=${!methods.length || this.step === null || !(this.log || this.state.run) || isActive(this.state.status)} @click=${() => this.compute()}>${msg('Compare the methods')}</button></div>`;
  }

  private renderShown() {
    const { shown } = this;
    if (isActive(this.state.status) && !this.log)
      return emptyState(msg('The run is training'), msg('Pause it to compare methods on a step.'));
    if (this.step === null) return emptyState(msg('No step yet'), msg('Train a step, or open a training log.'));
    if (shown.state === 'loading') return loadingState(msg('Computing every method on this batch'));
    if (shown.state === 'error') return errorState(shown.message);
    if (shown.state === 'busy')
      return emptyState(
        msg('Not kept'),
        msg('The episodes or weights around this step are no longer kept: choose another step.'),
      );
    if (shown.state !== 'ready') return nothing;
    return this.renderComparison(shown.value);
  }

  private renderComparison({ objectives }: StepComparison) {
    const rows = this.rows(objectives);
    const change = (method: string, path: string, value: unknown) => {
      this.settings = { ...this.settings, [method]: { ...this.settings[method], [path]: value } };
      this.recompute();
    };
    return html`<div role="status" class="visually-hidden">${msg(str`Methods compared: ${objectives.length}`)}</div>
      <section aria-label=${msg('Formulas and settings')}><h3>${msg('Formulas and settings')}</h3>
        ${objectives.length > 1 ? html`<p class="soft small">${msg(str`Underlined: what differs from ${objectives[0].label}.`)}</p>` : nothing}
        <div class="scroll columns" tabindex="0" role="group" aria-label=${msg('Methods side by side')}>${methodColumns(objectives, this.settings, change)}</div></section>
      <section><h3>${msg('Numbers')}</h3>${numberTable(objectives)}</section>
      <section><h3>${msg('Cosine between the gradients')}</h3>
        <p class="soft small">${this.log ? msg('The log has no weights: gradients are those of the tokens’ log-probabilities.') : msg('1: the same direction in the space of the weights. 0: at right angles. Below 0: one undoes the other.')}</p>
        ${cosineTable(objectives)}</section>
      <section><h3>${msg('Share of the gradient’s weight')}</h3>
        ${this.renderDivision(objectives)}
        ${shareTable(objectives, rows)}</section>
      ${this.renderExport(objectives)}`;
  }

  private renderDivision(objectives: StepComparison['objectives']) {
    const labels: { [division in Division]: string } = {
      episode: msg('by episode'),
      turn: msg('by turn'),
      token: msg('by token'),
    };
    const keys = trainedEpisodes(objectives);
    const divide = (event: Event) => {
      this.division = (event.target as HTMLSelectElement).value as Division;
    };
    const choose = (event: Event) => {
      this.episode = (event.target as HTMLSelectElement).value;
    };
    const name = (key: string) => {
      const [group, member] = key.split('/').map((part) => Number(part) + 1);
      return msg(str`Group ${group}, episode ${member}`);
    };
    return html`<div class="row"><label>${msg('Divided')} <select data-do="division" @change=${divide}>${divisions.map((each) => html`<option value=${each} ?selected=${each === this.division}>${labels[each]}</option>`)}</select></label>
      ${
        this.division === 'token'
          ? html`<label>${msg('Episode')} <select data-do="episode" @change=${choose}>${keys.map((key) => html`<option value=${key} ?selected=${key === this.episode}>${name(key)}</option>`)}</select></label>`
          : nothing
      }</div>
      <p class="soft small"><span class="up-sign" aria-hidden="true">▲</span> ${msg('up: its tokens become likelier')} <span class="down-sign" aria-hidden="true">▼</span> ${msg('down: less likely')}${this.division === 'token' ? html` <span aria-hidden="true">✂</span> ${msg('clipped')}` : nothing}</p>`;
  }

  private rows(objectives: StepComparison['objectives']) {
    const keys = trainedEpisodes(objectives);
    if (!keys.includes(this.episode)) this.episode = keys[0] ?? '';
    return shareRows(objectives, this.division, this.episode, {
      episode: (group, member) => msg(str`Group ${group}, episode ${member}`),
      turn: (turn) => msg(str`Turn ${turn}`),
      token: (k) => this.tokenText(k),
    });
  }

  /** Text of the k-th trained token of the chosen episode. */
  private tokenText(k: number): string {
    const [group, member] = this.episode.split('/').map(Number);
    const { detail, tokenTexts } = this.state;
    if (this.log) return this.log.step.prompts[group]?.responses[member]?.tokens.strings[k] ?? `${k + 1}`;
    const found =
      detail.state === 'ready' && detail.value.step === this.step
        ? detail.value.trajectories.find((each) => each.group === group && each.member === member)
        : undefined;
    const position = found?.choices?.position[k];
    return position === undefined ? `${k + 1}` : (tokenTexts?.[found!.tokens[position]] ?? `${k + 1}`).trim() || '↵';
  }

  private renderExport(objectives: StepComparison['objectives']) {
    const name = `methods-step-${this.step}`;
    const save = (text: string, type: string, end: string) => download(new Blob([text], { type }), `${name}.${end}`);
    const figure = () => {
      const texts = {
        title: msg(str`One batch, several methods: step ${this.step}`),
        cosines: msg('Cosine between the gradients'),
        shares: msg('Share of the gradient’s weight'),
        up: msg('up: its tokens become likelier'),
        down: msg('down: less likely'),
      };
      save(comparisonSvg(objectives, this.rows(objectives), texts), 'image/svg+xml', 'svg');
    };
    return html`<div class="row"><button data-do="figure" @click=${figure}>${msg('Save the figure (SVG)')}</button>
      <button data-do="table" @click=${() => save(comparisonCsv(objectives), 'text/csv', 'csv')}>${msg('Save the table (CSV)')}</button>
      ${this.log ? nothing : html`<button data-do="unipo" @click=${() => this.saveLog(objectives, name)}>${msg('Save as a training log')}</button>`}</div>`;
  }

  /** The step in UNIPO's form, with the numbers of the run's own method. */
  private async saveLog(objectives: StepComparison['objectives'], name: string) {
    const { run, records, tokenTexts } = this.state;
    const { step } = this;
    if (!run || step === null) return;
    await this.app.notifier.attempt('log', async () => {
      const { writeUnipo } = await import('../../rl/unipo-writer.ts');
      const own = objectives.find((each) => each.name === this.own) ?? objectives[0];
      const { experiment } = run;
      const task = experiment.worlds.map((each) => each.name).join(', ');
      const detail = await this.app.api.stepDetail(run.id, step);
      const texts = tokenTexts ?? (await this.app.api.tokenTexts(run.id));
      const facts = {
        task,
        model: experiment.policy.kind,
        reward: experiment.reward ? 'composed' : 'score of the world',
      };
      const totals = { totalSteps: experiment.steps, learningRate: experiment.optimizer.learningRate };
      const { metrics = {} } = records.find((each) => each.step === step) ?? {};
      const trajectories = detail?.trajectories ?? [];
      const text = writeUnipo({ ...facts, ...totals }, [{ step, metrics, trajectories, own, texts }]);
      download(new Blob([text], { type: 'application/json' }), `${name}.json`);
    });
  }

  private readonly openLog = async (event: Event) => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (!file) return;
    this.problem = '';
    try {
      if (file.size > largestLog) throw new Error(msg(str`The log is larger than ${largestLog / 1024 / 1024} MB.`));
      const { readUnipo } = await import('../../rl/unipo.ts');
      const read = readUnipo(await file.text());
      const step = read.steps.at(-1);
      if (!step)
        throw new Error(
          msg(str`Of ${stepCount(read.total)} in the log none has prompts and responses: open a file that has them.`),
        );
      this.log = { name: file.name, file: read, step };
      this.settings = {};
      this.compute();
    } catch (error) {
      this.problem = sentence(error);
    }
  };

  private readonly closeLog = () => {
    this.log = null;
    this.settings = {};
    this.shown = { state: 'none' };
  };

  /** Computes again a moment after the last change, if there are numbers to replace. */
  private recompute() {
    if (this.shown.state === 'none') return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.compute(), rest);
  }

  private async compute() {
    const { log, methods, weights, step } = this;
    const { run } = this.state;
    if (step === null || (!log && !run)) return;
    const asked = ++this.asked;
    const choices = methods.map((name) => ({ name, settings: this.settings[name] ?? {} }));
    if (this.shown.state !== 'ready') this.shown = { state: 'loading' };
    this.place = this.currentPlace();
    try {
      const { api } = this.app;
      const value = log
        ? await api.compareRecorded(log.step, { choices, weights })
        : await api.compareStep(run!.id, step, { choices, weights });
      if (asked === this.asked) this.shown = value ? { state: 'ready', value } : { state: 'busy' };
    } catch (error) {
      if (asked === this.asked) this.shown = { state: 'error', message: sentence(error) };
    }
  }

  private currentPlace = () => (this.log ? 'log' : `${this.state.run?.id}/${this.step}`);

  /** Numbers of another step are computed again; those of another run are dropped. */
  protected override willUpdate() {
    if (this.shown.state === 'none' || this.log || this.place === this.currentPlace()) return;
    const isRun = this.place.split('/')[0] === this.state.run?.id;
    this.place = this.currentPlace();
    if (isRun && !isActive(this.state.status)) void this.compute();
    else this.shown = { state: 'none' };
  }
}
