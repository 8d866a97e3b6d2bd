/**
 * The open assignment: its tasks with live goals and answers, and handing in. Without one: making an assignment, opening
 * one, grading. Loaded on demand.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { wordsIn } from '../../classroom/words.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { Panel } from '../control/panel.ts';
import { listed } from '../kit/format.ts';
import { currentLocale } from '../kit/locale.ts';
import { controls } from '../kit/styles/shared.ts';
import type { OpenAssignment } from '../state/assignment.ts';
import './grading.ts';
import './join.ts';
import './maker.ts';
import { type AnyTask, goalText, reached, selectedEpisode } from './goals.ts';
import { settingLabel } from './setting-label.ts';
import { classroomStyles } from './styles.ts';

const signals = () => ({
  kl: msg('KL'),
  entropy: msg('Entropy'),
  ratio: msg('Ratio'),
  gradNorm: msg('Gradient norm'),
  length: msg('Length of replies'),
});

@customElement('tabgym-assignment')
export class TabgymAssignment extends Panel {
  static override styles = [controls, classroomStyles];

  @state() private shown: 'tasks' | 'maker' | 'grading' = 'tasks';
  /** Settings of the setup or the run that are not allowed. */
  @state() private refused: readonly string[] = [];
  private checked: Experiment | null = null;

  constructor() {
    super(['assignment', 'run', 'records', 'draft', 'selection', 'busy', 'status', 'runs']);
  }

  override render() {
    if (this.shown === 'maker')
      return html`${this.back()}<tabgym-assignment-maker .app=${this.app}></tabgym-assignment-maker>`;
    if (this.shown === 'grading') return html`${this.back()}<tabgym-grading .app=${this.app}></tabgym-grading>`;
    const { assignment } = this.state;
    return assignment ? this.renderOpen(assignment) : this.renderNone();
  }

  private back() {
    return html`<div><button class="link" @click=${() => this.show('tasks')}>← ${msg('Back')}</button></div>`;
  }

  private joinClass() {
    return html`<tabgym-join-class .app=${this.app}></tabgym-join-class>`;
  }

  private show(what: typeof this.shown) {
    this.shown = what;
  }

  private renderNone() {
    return html`<p>${msg('An assignment is an experiment with tasks. Pupils train it on their own machines and hand in one file; grading computes the claims again from the weights.')}</p>
      <section><h2>${msg('Pupils')}</h2><div>${this.openButton()}</div></section>
      <section><h2>${msg('Teachers')}</h2><div class="row">
        <button data-do="make" ?disabled=${!this.state.draft} @click=${() => this.show('maker')}>${msg('Make an assignment')}</button>
        <button data-do="grade" @click=${() => this.show('grading')}>${msg('Grade files')}</button></div>
        <p class="soft small">${msg('The experiment in the setup becomes the assignment’s.')}</p></section>
      ${this.joinClass()}`;
  }

  private openButton() {
    const choose = () => this.renderRoot.querySelector<HTMLInputElement>('input.open')?.click();
    return html`<button data-do="open" @click=${choose}>${msg('Open an assignment')}</button>
      <input class="open" type="file" accept=".json" aria-label=${msg('File of an assignment')} @change=${this.pick} />`;
  }

  private pick(event: Event) {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (file) void this.app.assignments.openFile(file);
  }

  private renderOpen(assignment: OpenAssignment) {
    const { document } = assignment;
    const locale = currentLocale();
    return html`<h2>${wordsIn(document.title, locale)}</h2>
      ${document.deadline ? html`<p><strong>${msg('Hand in by:')}</strong> ${document.deadline}</p>` : nothing}
      ${document.intro ? html`<p>${wordsIn(document.intro, locale)}</p>` : nothing}
      ${assignment.hasAnswers ? this.renderTeacher(assignment) : nothing} ${this.renderSettings(assignment)}
      <ol class="tasks" aria-label=${msg('Tasks')}>${document.tasks.map((task) => html`<li>${this.renderTask(assignment, task as AnyTask)}</li>`)}</ol>
      ${this.renderHandIn(assignment)} ${this.joinClass()}`;
  }

  private renderTeacher({ document }: OpenAssignment) {
    const copy = async () => {
      const { href, tooLong } = await this.app.assignments.link(document);
      if (tooLong) return this.app.assignments.save(document, { answers: false });
      await this.app.links.copy(href);
    };
    return html`<div class="message"><p>${msg('This copy has the answers. Give the pupils the link or their own file.')}</p>
      <div class="row"><button @click=${copy}>${msg('Copy the pupils’ link')}</button>
      <button @click=${() => this.app.assignments.save(document, { answers: false })}>${msg('Save the pupils’ file')}</button>
      <button data-do="grade" @click=${() => this.show('grading')}>${msg('Grade files')}</button></div></div>`;
  }

  private renderSettings({ document }: OpenAssignment) {
    const allowed = listed(document.mayChange.map(({ path }) => settingLabel(path, document.experiment)));
    return html`<section>
      <p class="small">${allowed ? msg(str`You may change: ${allowed}. Everything else is fixed.`) : msg('All settings are fixed.')}</p>
      ${
        this.refused.length
          ? html`<div class="message warning" role="status"><p>${msg('These settings are not allowed, and the run would be refused:')}</p>
            <ul>${this.refused.map((each) => html`<li class="mono small">${each}</li>`)}</ul>
            <button @click=${() => this.app.assignments.resetSettings()}>${msg('Put the assignment’s settings back')}</button></div>`
          : nothing
      }</section>`;
  }

  private renderTask(assignment: OpenAssignment, task: AnyTask) {
    const locale = currentLocale();
    const goal = goalText(task);
    const far = reached(task, this.state);
    const answered = assignment.answers[task.id] !== undefined;
    const passed = far ? far.passed === true : answered;
    return html`<div class="task ${passed ? 'passed' : ''}" data-task=${task.id}>
      <p>${wordsIn(task.text, locale)} <span class="soft small">${msg(str`(points: ${task.points})`)}</span></p>
      ${goal ? html`<p class="small"><strong>${goal}</strong></p>` : nothing}
      ${far ? html`<p class="small number"><span aria-hidden="true">${far.passed === null ? '…' : far.passed ? '✓' : '✕'}</span> ${far.text}</p>` : nothing}
      ${this.renderAnswer(assignment, task)}
      ${task.hint ? html`<details><summary class="small">${msg('Hint')}</summary><p class="small">${wordsIn(task.hint, locale)}</p></details>` : nothing}
    </div>`;
  }

  private renderAnswer({ answers }: OpenAssignment, task: AnyTask) {
    const given = answers[task.id];
    const answer = (value: unknown) => this.app.assignments.answer(task.id, value);
    const label = wordsIn(task.text, currentLocale());
    if (task.kind === 'text')
      return html`<textarea rows="3" maxlength="4000" aria-label=${label} .value=${typeof given === 'string' ? given : ''} @change=${(event: Event) => answer((event.target as HTMLTextAreaElement).value)}></textarea>`;
    if (task.kind === 'choice')
      return html`<fieldset><legend class="visually-hidden">${label}</legend>${(task.choices ?? []).map(
        (each, k) =>
          html`<label class="choice"><input type="radio" name=${task.id} .checked=${given === k} @change=${() => answer(k)} /><span>${wordsIn(each, currentLocale())}</span></label>`,
      )}</fieldset>`;
    if (task.kind === 'collapse')
      return html`<label class="row">${msg('First signal to move')} <select @change=${(event: Event) => answer((event.target as HTMLSelectElement).value)}>
        <option value="" ?selected=${!given}>–</option>${Object.entries(signals()).map(([id, name]) => html`<option value=${id} ?selected=${given === id}>${name}</option>`)}</select></label>`;
    if (task.kind === 'episode') return this.renderEpisode(given, answer);
    return nothing;
  }

  private renderEpisode(given: unknown, answer: (value: unknown) => void) {
    const chosen = selectedEpisode(this.state);
    const { step, group, member } = (given ?? {}) as { step?: number; group?: number; member?: number };
    const text = given
      ? msg(str`Step ${step}, group ${(group ?? 0) + 1}, episode ${(member ?? 0) + 1}`)
      : msg('No episode chosen yet');
    return html`<div class="row"><span class="number small">${text}</span>
      <button ?disabled=${!chosen} @click=${() => answer(chosen)}>${msg('Take the selected episode')}</button></div>`;
  }

  private renderHandIn({ pupil }: OpenAssignment) {
    const { run, busy } = this.state;
    const name = (event: Event) => this.app.assignments.name((event.target as HTMLInputElement).value);
    return html`<section aria-label=${msg('Hand in')}>
      <h3>${msg('Hand in')}</h3>
      <div class="fields"><label for="pupil">${msg('Name (may be empty)')}</label><input id="pupil" maxlength="120" autocomplete="off" .value=${pupil} @change=${name} /></div>
      <details><summary class="small">${msg('What the file contains')}</summary><p class="small">${msg('The run in focus: settings, curves, episodes and weights; your answers and the name above; a list of your runs of this assignment with their changed settings, steps and success. Also the name of the device and how long each step took. No times of day, no notes, nothing else of you.')}</p></details>
      <div class="row"><button class="primary" data-do="hand-in" ?disabled=${!run || run.step === 0 || busy !== null || this.refused.length > 0} @click=${() => this.app.assignments.handIn()}>${msg('Save the file to hand in')}</button>
      <button class="quiet" @click=${() => this.app.assignments.close()}>${msg('Close the assignment')}</button></div>
      ${run && run.step > 0 ? nothing : html`<p class="soft small">${msg('Train a run first.')}</p>`}
    </section>`;
  }

  /** Checks the settings when they changed: those of the setup, which are the run's if there is one. */
  protected override willUpdate() {
    const { draft, assignment } = this.state;
    if (!assignment || !draft || draft === this.checked) return;
    this.checked = draft;
    void this.app.assignments.refused(draft).then((refused) => {
      this.refused = refused;
    });
  }
}
