/**
 * The story of the simple arrangement. It has one button, the success so far with its curve, and at the end three ways to
 * go on. Settings are folded; the lab has everything else.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit';
import type { Experiment } from '../../experiment/experiment.ts';
import { differences } from '../../experiment/paths.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import '../charts/chart.ts';
import type { StepSelectEvent } from '../charts/plot-keys.ts';
import type { Controller } from '../control/controller.ts';
import { isActive } from '../control/events.ts';
import { duration, gap, listedApart } from '../kit/format.ts';
import { loadingState } from '../kit/states.ts';
import '../panels/setup.ts';
import '../stage/stage.ts';
import '../stage/welcome.ts';
import { recentStepMs } from '../state/estimate.ts';
import { worldPays, worldPlain, worldTitle } from '../state/labels.ts';
import { amountText, changeText, networkText, ofHundred, timeText } from '../state/plain-words.ts';
import { readSuccess, type Success } from '../state/score.ts';
import { type ChartSpec, charts } from '../state/series.ts';
import type { State } from '../state/state.ts';
import { plainProgressText, progressBar } from '../state/work-progress.ts';
import './before-after.ts';
import './change-effect.ts';
import { oneChanges } from './one-change.ts';
import type { StoryParts } from './simple.ts';
import { renderTerms } from './terms.ts';

const chartHeight = 210;

/** The charts without evaluations on training goals, so that a newcomer's curve shows only one kind of evaluation. */
const simpleCharts = (): ChartSpec[] =>
  charts().map((spec) => ({ ...spec, points: spec.points.filter(({ shape }) => shape === 'diamond') }));

export class Story implements StoryParts {
  /** The charts keep their identity, so that a plot is not built anew at each update. */
  private readonly specs = simpleCharts();
  private changing = false;
  private moreCharts = false;

  constructor(
    private readonly app: Controller,
    private readonly host: ReactiveControllerHost,
  ) {}

  private get state(): State {
    return this.app.store.state;
  }

  private get experiment(): Experiment | null {
    return this.state.run?.experiment ?? this.state.draft;
  }

  private get trained(): number {
    return this.state.records.at(-1)?.step ?? 0;
  }

  private get finished(): boolean {
    return this.state.status === 'finished';
  }

  renderStage(): TemplateResult | null {
    const { selection, watching, run } = this.state;
    if (selection.tab !== 'watch')
      return html`<tabgym-stage .app=${this.app} role="region" aria-label=${msg('Stage')}></tabgym-stage>`;
    if (this.showsAnotherWorld())
      return html`<div class="state" role="region" aria-label=${msg('Stage')}>${msg('Press Train and watch its first tries.')}</div>`;
    // Only a small policy can play the tasks with both weights in a short time.
    const small = run !== null && factsOf(run.experiment.policy).ownWeights;
    if (!this.finished || !small || watching) return null;
    return html`<tabgym-before-after .app=${this.app} role="region" aria-label=${msg('Before and after')}></tabgym-before-after>`;
  }

  /** True while the recorded try is of another world than that of the setup. */
  private showsAnotherWorld(): boolean {
    const { recorded, run, live } = this.state;
    const world = live.at(-1)?.view?.kind;
    return !run && recorded !== null && this.experiment !== null && world !== this.experiment.worlds[0]?.name;
  }

  renderSettings(): TemplateResult {
    const { experiment } = this;
    const world = experiment?.worlds[0]?.name ?? '';
    return html`<aside class="settings" aria-label=${msg('Settings')}>
      <div class="top"><div class="row spread"><h2>${msg('Settings')}</h2>
          <button class="quiet" aria-label=${msg('Close the settings')} @click=${() => this.app.layout.showSettings(false)}>✕</button></div>
        <p>${worldPlain(world)}${gap()}${experiment ? msg(str`It is ${networkText(experiment)}, and trains for ${amountText(experiment)}.`) : nothing}</p></div>
      <tabgym-setup .app=${this.app}></tabgym-setup>
    </aside>`;
  }

  render(): TemplateResult {
    const { gpu, phase, run } = this.state;
    if (phase === 'ready' && gpu && !gpu.supported && !run)
      return html`<tabgym-welcome .app=${this.app}></tabgym-welcome>`;
    return html`<h2 class="lead">${this.lead()}</h2>
      ${this.finished ? this.renderEnd() : this.renderGo()}
      ${this.trained > 0 ? this.renderSuccess() : nothing}
      ${this.renderWords()}
      ${this.trained > 0 ? this.renderMore() : nothing}`;
  }

  private renderWords() {
    const { experiment } = this;
    const pays = worldPays(experiment?.worlds[0]?.name ?? '');
    return renderTerms({ experiment, trained: this.trained > 0, pays }, () => this.app.navigation.lookCloser());
  }

  /** The newest success and the time left, or the task of the world. */
  private lead() {
    const { experiment } = this;
    // Until the presets are known, the recorded try names its world.
    const name = experiment?.worlds[0]?.name ?? this.state.live.at(-1)?.view?.kind;
    const success = this.finished ? this.heldOut() : null;
    if (success)
      return msg(str`It now succeeds in ${ofHundred(success.policy.rate)} of 100 tasks that it never trained on.`);
    if (name === undefined) return msg('An agent that knows nothing learns by trying.');
    return worldPlain(name) || msg(str`An agent learns to act in ${worldTitle(name)}.`);
  }

  private heldOut() {
    return this.state.records.findLast(({ evaluation, step }) => step > 0 && evaluation)?.evaluation?.test ?? null;
  }

  private renderGo() {
    const { phase, status, busy, gpu, owner, draft, run } = this.state;
    const { experiment } = this;
    if (phase === 'starting') return html`<div class="go">${loadingState(msg('Getting the agent ready'))}</div>`;
    const running = isActive(status);
    const off = busy !== null || !gpu?.supported || owner === 'another-tab' || status === 'pausing' || !(run ?? draft);
    const trains = experiment !== null && factsOf(experiment.policy).trains;
    return html`<p class="say">${running || this.trained > 0 ? this.progressText() : this.beginning()}</p>
      ${this.renderChanged()}
      <div class="go">
        <button class=${running ? '' : 'primary'} ?disabled=${off || !trains} aria-keyshortcuts="Space" @click=${() => this.app.toggle()}>${this.buttonText(running)}</button>
        ${running ? this.renderProgress() : this.renderFacts()}
        ${status === 'failed' ? html`<p class="message error" role="alert">${this.state.statusDetail}</p>` : nothing}
        ${run && owner === 'another-tab' ? html`<p class="message warning">${msg('This agent’s run is open in another tab.')} <button @click=${() => this.app.takeOver()}>${msg('Take over')}</button></p>` : nothing}
      </div>`;
  }

  /** Settings in which this experiment differs from its preset. */
  private renderChanged() {
    const { experiment } = this;
    const preset = this.state.presets.find(({ name }) => name === experiment?.name);
    if (!preset || !experiment) return nothing;
    const changes = listedApart(differences(preset, experiment).map(changeText));
    return changes ? html`<p class="number"><strong>${msg('Changed:')}</strong> ${changes}</p>` : nothing;
  }

  private buttonText(running: boolean) {
    if (this.state.status === 'pausing') return html`<span aria-hidden="true">❚❚</span> ${msg('Pausing')}`;
    if (running) return html`<span aria-hidden="true">❚❚</span> ${msg('Pause')}`;
    return html`<span aria-hidden="true">▶</span> ${this.trained > 0 ? msg('Continue training') : msg('Train')}`;
  }

  private beginning() {
    return msg(
      'Its network starts with random weights, so it acts at random and hardly ever succeeds. Press Train: after each round of tries, the actions of the tries that went better become a little more likely.',
    );
  }

  private progressText() {
    const { experiment } = this;
    const { status, records } = this.state;
    const step = this.trained;
    const steps = experiment?.steps ?? 0;
    if (status === 'preparing' || step === 0)
      return msg('First it plays with random weights, to measure where it starts. Then the updates begin.');
    const ms = recentStepMs(records);
    const left = ms === null || !isActive(status) ? '' : msg(str`${duration(ms * (steps - step))} left.`);
    return html`<strong class="number">${msg(str`Update ${step} of ${steps}.`)}</strong> ${left}`;
  }

  private renderProgress() {
    const { progress } = this.state;
    if (progress)
      return html`<div class="small soft" role="presentation">${plainProgressText(progress)}</div>${progressBar(progress)}`;
    return html`<progress aria-label=${msg('Updates done')} max=${this.experiment?.steps ?? 1} .value=${this.trained}></progress>`;
  }

  private renderFacts() {
    const { experiment } = this;
    if (!experiment || this.trained > 0) return nothing;
    return html`<p class="facts"><span>${networkText(experiment)}</span><span>${amountText(experiment)}</span><span>${timeText(experiment, this.state.gpu)}</span></p>`;
  }

  /** Readout of the newest success, and its curve. */
  private renderSuccess() {
    const success = readSuccess(this.state.records);
    return html`${success ? this.renderReadout(success) : nothing} ${this.renderCurve(this.specs[0], chartHeight)}`;
  }

  private renderCurve(spec: ChartSpec, tall: number) {
    const { records, selection, theme, systemDark, chartView, chartZoom } = this.state;
    // The world on the left follows the newest step.
    const selected = selection.tab === 'watch' ? null : selection.step;
    return html`<tabgym-chart .spec=${spec} .records=${records} .selected=${selected} .theme=${`${theme} ${systemDark}`} .view=${chartView} .zoom=${chartZoom} .kept=${this.state.kept} .band=${spec.id === 'success' ? this.state.band : null} .tall=${tall}></tabgym-chart>`;
  }

  private renderReadout({ rate, chance, updates }: Success) {
    const tries = ofHundred(rate);
    // The headline of a finished run is about held-out tasks, so this sentence names the training tasks.
    const result = this.finished
      ? msg(str`On the tasks that it trained on, ${tries} of 100 tries succeed.`)
      : updates > 1
        ? msg(str`${tries} of 100 tries of the last ${updates} updates succeeded.`)
        : msg(str`${tries} of 100 tries succeed.`);
    return html`<div class="readout"><span class="big" aria-hidden="true">${tries}%</span>
      <p>${result}${chance === null ? nothing : html`<br /><span class="soft">${msg(str`An agent that acts at random: ${ofHundred(chance)} of 100.`)}</span>`}</p></div>`;
  }

  /** The other curves, drawn when they are opened. */
  private renderMore() {
    const toggle = (event: Event) => {
      this.moreCharts = (event.target as HTMLDetailsElement).open;
      this.host.requestUpdate();
    };
    const [, ...others] = this.specs;
    return html`<details @toggle=${toggle}><summary>${msg('More curves')}</summary>${
      this.moreCharts ? others.map((spec) => this.renderCurve(spec, 120)) : nothing
    }</details>`;
  }

  choose(event: StepSelectEvent) {
    this.app.navigation.chooseStep(event, { tab: 'group' });
  }

  /** Result in words, and three ways to go on. */
  private renderEnd() {
    const first = this.state.records.find(({ step, evaluation }) => step === 0 && evaluation)?.evaluation?.test;
    const now = this.heldOut();
    const before = first ? ofHundred(first.policy.rate) : null;
    const words =
      now && before !== null
        ? msg(
            str`Before training it was ${before} of 100; an agent that acts at random reaches ${ofHundred(now.chance.rate)}.`,
          )
        : msg('The training is finished.');
    return html`<p class="say end" role="status">${words}</p>
      <div class="next end" role="group" aria-label=${msg('What next')}>
        <button class="primary" aria-expanded=${this.changing ? 'true' : 'false'} @click=${() => this.setChanging(!this.changing)}>${msg('Change one thing')}</button>
        <button @click=${() => this.play()}>${msg('Play against it')}</button>
        <button @click=${() => this.app.layout.openLearn('lessons')}>${msg('Next lesson')}</button>
      </div>
      ${this.changing ? this.renderChanges() : nothing}
      <tabgym-change-effect class="end" .app=${this.app}></tabgym-change-effect>`;
  }

  private play() {
    this.app.store.set({ playWanted: true });
    this.app.navigation.select({ tab: 'play' });
  }

  private setChanging(changing: boolean) {
    this.changing = changing;
    this.host.requestUpdate();
  }

  private renderChanges() {
    const { experiment } = this;
    if (!experiment) return nothing;
    const begin = (document: Experiment) => {
      this.setChanging(false);
      this.app.prepare(document);
    };
    return html`<div class="changes end"><p>${msg('A second run with one difference, from random weights. At its end the page compares the two.')}</p>
      ${oneChanges(experiment).map(({ label, experiment: changed }) => html`<button @click=${() => begin(changed)}>${label}</button>`)}
      <button class="link" @click=${() => this.app.layout.showSettings(true)}>${msg('All settings')}</button></div>`;
  }
}
