/** Grades many handed-in files in the page, and shows the class: table, curves over each other, common mistakes. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { type Assignment, readAssignment } from '../../classroom/assignment.ts';
import { type ClassTexts, classPage, curvesSvg } from '../../classroom/class-page.ts';
import { classCsv, duplicates, inOrder, leaderboard, mistakes } from '../../classroom/class-report.ts';
import type { Graded, Result } from '../../classroom/grade.ts';
import type { Reason } from '../../classroom/refused.ts';
import { wordsIn } from '../../classroom/words.ts';
import type { Grader } from '../control/lazy-parts.ts';
import { Panel } from '../control/panel.ts';
import { stepCount } from '../kit/counts.ts';
import { download } from '../kit/download.ts';
import { colon } from '../kit/format.ts';
import { currentLocale } from '../kit/locale.ts';
import { controls } from '../kit/styles/shared.ts';
import { classroomStyles } from './styles.ts';

const largestSeed = 2 ** 31;

const refusals = (): { [reason in Reason]: string } => ({
  damaged: msg('The file is damaged'),
  'not-handed-in': msg('It is not a handed-in file'),
  'other-assignment': msg('It belongs to another assignment'),
  log: msg('Its log was changed'),
  settings: msg('Its settings differ where they may not'),
  code: msg('It has code, which the page does not run: use npm run grade with --allow-code'),
  beginning: msg('It does not begin as its settings and seed say'),
  steps: msg('Steps are missing'),
  longer: msg('It was trained longer than its settings say'),
  trajectories: msg('Its episodes are missing or cannot be read'),
  curve: msg('Its curve does not follow from its episodes'),
  step: msg('A step does not follow from the weights before it'),
  weights: msg('Its weights do not follow from its steps'),
  evaluation: msg('Its evaluation does not follow from its weights'),
});

/** How many steps were computed again, and how near they came. */
function checkedText({ steps, exact }: Graded['checked']): string {
  const counted = stepCount(steps.length);
  return exact
    ? msg(str`${counted} computed again, equal to the bit`)
    : msg(str`${counted} computed again, within the tolerance of another device`);
}

@customElement('tabgym-grading')
export class TabgymGrading extends Panel {
  static override styles = [controls, classroomStyles];

  /** A teacher's copy that was opened for grading. */
  @state() private key: Assignment | null = null;
  @state() private results: readonly Result[] = [];
  @state() private waiting: readonly File[] = [];
  @state() private working = '';
  private grader: Grader | null = null;
  /** New for each visit: no pupil has it. */
  private readonly seed = 1 + Math.floor(Math.random() * (largestSeed - 1));

  constructor() {
    super(['assignment', 'locale']);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.waiting = [];
    this.grader?.close();
    this.grader = null;
  }

  private get assignment(): Assignment | null {
    return this.key ?? this.state.assignment?.document ?? null;
  }

  override render() {
    const { assignment } = this;
    return html`<h2>${msg('Grade files')}</h2>
      ${assignment ? this.renderFiles(assignment) : html`<p>${msg('Open the assignment first: the copy with the answers.')}</p>`}
      <div class="row"><button data-do="key" @click=${() => this.press('key')}>${assignment ? msg('Open another assignment') : msg('Open the assignment with the answers')}</button></div>
      <input id="key" type="file" accept=".json" aria-label=${msg('File of an assignment')} @change=${this.openKey} />
      ${assignment && this.results.length ? this.renderClass(assignment) : nothing}`;
  }

  private press(id: string) {
    this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.click();
  }

  private async openKey(event: Event) {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (!file) return;
    await this.app.notifier.attempt('assignment', async () => {
      this.key = readAssignment(await file.text());
      this.results = [];
    });
  }

  private renderFiles(assignment: Assignment) {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      void this.take([...(event.dataTransfer?.files ?? [])]);
    };
    const pick = (event: Event) => {
      const input = event.target as HTMLInputElement;
      void this.take([...(input.files ?? [])]);
      input.value = '';
    };
    return html`<div class="message" @dragover=${over} @drop=${drop}>
      <p><strong>${wordsIn(assignment.title, currentLocale())}</strong></p>
      <p>${msg('Drop the handed-in files here, or choose them. They are graded on the processor, and stay on this machine.')}</p>
      <div class="row"><button class="primary" data-do="files" @click=${() => this.press('files')}>${msg('Choose handed-in files')}</button></div>
      <input id="files" type="file" multiple accept=".tabgym" aria-label=${msg('Handed-in files')} @change=${pick} />
      <p role="status" class="number">${this.working ? msg(str`Grading ${this.working}; ${this.waiting.length} more`) : nothing}</p></div>`;
  }

  private async take(files: readonly File[]) {
    const { assignment } = this;
    if (!assignment) return;
    const isFirst = !this.working && !this.waiting.length;
    this.waiting = [...this.waiting, ...files];
    if (!isFirst) return;
    await this.app.notifier.attempt('grade', async () => {
      this.grader ??= await this.app.parts.openGrader();
      while (this.waiting.length) {
        const [file, ...rest] = this.waiting;
        this.waiting = rest;
        this.working = file.name;
        const result = await this.grader.grade(assignment, file, this.seed);
        this.results = inOrder([...this.results.filter((each) => each.file !== result.file), result]);
      }
    });
    this.working = '';
    this.waiting = [];
  }

  private renderClass(assignment: Assignment) {
    const texts = this.texts();
    const svg = curvesSvg(this.results, texts);
    const wrong = mistakes(assignment, this.results);
    const board = leaderboard(this.results);
    const same = duplicates(this.results);
    return html`<section><div class="scroll"><table><thead><tr><th>${texts.file}</th><th>${texts.name}</th><th>${texts.points}</th><th>${texts.result}</th></tr></thead>
        <tbody>${this.results.map((each) => this.renderRow(each, same.get(each.file)))}</tbody></table></div></section>
      <section><h3>${texts.curves}</h3><img class="curves" alt=${texts.curves} src=${`data:image/svg+xml,${encodeURIComponent(svg)}`} /></section>
      <section><h3>${texts.mistakes}</h3>${wrong.length ? html`<ul>${wrong.map((each) => html`<li>${texts.mistake(each)}</li>`)}</ul>` : html`<p class="soft">${texts.noMistakes}</p>`}</section>
      <section><h3>${texts.leaderboard}</h3><div class="scroll"><table><tbody>${board.map(({ place, code, points, measured }) => html`<tr><td>${place}</td><td class="mono">${code}</td><td class="number">${points}</td><td class="number">${measured}</td></tr>`)}</tbody></table></div></section>
      <div class="row"><button data-do="page" @click=${() => this.savePage(assignment)}>${msg('Save a page to print')}</button>
        <button data-do="csv" @click=${() => download(new Blob([classCsv(assignment, this.results)], { type: 'text/csv' }), 'grades.csv')}>${msg('Save as CSV')}</button></div>
      <p class="soft small">${texts.notSeen}</p>`;
  }

  private renderRow(result: Result, same: readonly string[] | undefined) {
    const what =
      result.status === 'refused'
        ? html`<span class="badge bad">${msg('refused')}</span> ${refusals()[result.reason]}<details><summary class="small">${msg('Details')}</summary><span class="small" lang="en">${result.message}</span></details>`
        : html`${result.tasks.map(({ id, passed, measured }) => html`<div><span aria-hidden="true">${passed === null ? '…' : passed ? '✓' : '✕'}</span> ${id}: <span lang="en">${measured}</span></div>`)}
          <div class="soft small">${checkedText(result.checked)}</div>
          ${same ? html`<div class="badge warn">${msg(str`The same run as ${same.join(', ')}`)}</div>` : nothing}`;
    const points = result.status === 'graded' ? result.points : 0;
    return html`<tr data-file=${result.file}><td class="mono">${result.file}</td><td>${result.pupil}</td><td class="number">${points}/${result.most}</td><td>${what}</td></tr>`;
  }

  private texts(): ClassTexts {
    return {
      lang: currentLocale(),
      file: msg('File'),
      name: msg('Name'),
      points: msg('Points'),
      result: msg('Result'),
      curves: msg('Held-out success of all runs, by step'),
      step: msg('Step'),
      mistakes: msg('Where the class is stuck'),
      mistake: ({ task, failed, of, answers }) => {
        const chosen = answers.map(({ measured, count }) => `“${measured}” ${count}`).join(', ');
        const text = msg(str`${task}: ${failed} of ${of} did not pass`);
        return chosen ? `${text} (${chosen})` : text;
      },
      noMistakes: msg('All tasks were passed.'),
      leaderboard: msg('Leaderboard, without names'),
      refused: (reason) => `${msg('refused')}${colon()}${refusals()[reason]}`,
      notSeen: msg(
        'Grading does not see who trained a run or typed the answers, help by others, and runs that were not handed in.',
      ),
    };
  }

  private savePage(assignment: Assignment) {
    const page = classPage(assignment, this.results, this.texts());
    download(new Blob([page], { type: 'text/html' }), 'grades.html');
  }
}
