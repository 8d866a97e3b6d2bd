/** List of lessons, and the open lesson: its tasks, progress, and two questions with feedback on each choice. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { download } from '../kit/download.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import type { Ask, Lesson, Part, Question } from '../state/lesson.ts';
import { lessonContext } from '../state/lesson.ts';
import type { LessonProgress } from '../state/lesson-progress.ts';
import { formatLink, noLink } from '../state/link.ts';
import { noSelection } from '../state/selection.ts';
import { renderQuestion } from './question.ts';
import { lessonStyles } from './styles.ts';

/** True if every part is done and every question is answered. */
const isFinished = (lesson: Lesson, { done, answers }: LessonProgress) =>
  lesson.parts.every(({ id }) => done.includes(id)) && lesson.questions.every(({ id }) => answers[id] !== undefined);

/** Number of questions whose first answer was right. */
const rightAnswers = ({ questions }: Lesson, { answers }: LessonProgress) =>
  questions.filter(({ id, choices }) => choices[answers[id]]?.right).length;

@customElement('tabgym-lessons')
export class TabgymLessons extends Panel {
  static override styles = [controls, lessonStyles];

  /** Link to copy by hand, shown if the browser refuses access to the clipboard. */
  @state() private link = '';
  /** Marked choices of questions that are not answered yet, by the question's id. */
  @state() private marked: { readonly [question: string]: number } = {};

  constructor() {
    super([
      ...([
        'lesson',
        'lessonsReady',
        'progressOfLessons',
        'run',
        'records',
        'status',
        'live',
        'recorded',
        'selection',
      ] as const),
      ...(['detail', 'inspection', 'played', 'learn', 'sweep', 'wholeSweep', 'busy', 'draft', 'phase'] as const),
    ]);
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.app.lessons.load();
  }

  override render() {
    if (!this.state.lessonsReady) return loadingState(msg('Reading the lessons'));
    const { opened, lessons } = this.app.lessons;
    return opened ? this.renderLesson(opened) : this.renderList(lessons);
  }

  private renderList(lessons: readonly Lesson[]) {
    const finished = lessons.filter((each) => isFinished(each, this.app.lessons.progressOf(each.id))).length;
    return html`<h2>${msg('Lessons')}</h2>
      <p class="soft">${msg(str`${lessons.length} short lessons with tasks to do on this page. Your progress is detected automatically and stored in this browser.`)}</p>
      <p class="soft number">${msg(str`${finished} of ${lessons.length} finished`)}</p>
      <ol class="list">${lessons.map((each, k) => this.renderEntry(each, k + 1))}</ol>
      <div class="row end"><button class="link" data-do="save-progress" @click=${() => this.saveProgress()}>${msg('Save my progress')}</button></div>`;
  }

  /** Saves finished parts and chosen answers: no name and no time (docs/study.md). */
  private saveProgress() {
    const text = JSON.stringify({ format: 'tabgym-progress-1', lessons: this.state.progressOfLessons }, null, 1);
    download(new Blob([text], { type: 'application/json' }), 'progress.json');
  }

  private renderEntry(lesson: Lesson, number: number) {
    const progress = this.app.lessons.progressOf(lesson.id);
    const done = isFinished(lesson, progress);
    const begun = progress.done.length > 0;
    const words = done
      ? msg(str`${rightAnswers(lesson, progress)} of ${lesson.questions.length} right`)
      : begun
        ? msg(str`${progress.done.length} of ${lesson.parts.length} done`)
        : msg(str`${lesson.minutes} min`);
    return html`<li><button class="entry" data-do=${`lesson-${lesson.id}`} @click=${() => this.open(lesson.id)}>
      <span class="number soft">${number}</span>
      <span><strong>${lesson.title()}</strong><span class="soft small aim">${lesson.aim()}</span></span>
      <span class="badge ${done ? 'good' : ''}">${done ? '✓ ' : nothing}${words}</span></button></li>`;
  }

  private async open(id: string) {
    this.marked = {};
    await this.app.lessons.open(id);
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('#title')?.focus();
  }

  private renderLesson(lesson: Lesson) {
    const current = this.app.lessons.current(lesson);
    const { lessons } = this.app.lessons;
    const number = lessons.indexOf(lesson) + 1;
    return html`<div class="row spread"><button class="link" data-do="lessons-list" @click=${() => this.leave()}>‹ ${msg('All lessons')}</button>
        <span class="soft small number">${msg(str`Lesson ${number} of ${lessons.length}`)}</span></div>
      <h2 id="title" tabindex="-1">${lesson.title()}</h2>
      <p class="aim-line">${lesson.aim()}</p>
      <ol class="parts">${lesson.parts.map((part) => this.renderPart(lesson, part, part === current))}</ol>
      ${current ? nothing : this.renderQuestions(lesson)}
      <div class="row end"><button class="link" data-do="lesson-again" @click=${() => this.startAgain(lesson.id)}>${msg('Start this lesson again')}</button>
        <button class="link" data-do="worksheet" @click=${() => this.saveWorksheet(lesson)}>${msg('Save a worksheet to print')}</button>
        <button class="link" data-do="class-link" @click=${() => this.copyLink(lesson.id)}>${msg('Copy a link for a class')}</button></div>
      ${this.link ? html`<label class="soft small">${msg('Copy this link by hand')}<input readonly .value=${this.link} /></label>` : nothing}`;
  }

  private startAgain(id: string) {
    this.marked = {};
    return this.app.lessons.startAgain(id);
  }

  /** Address that opens a lesson; it names no run and no selection. */
  private addressOf(lesson: string): string {
    const { lang } = this.state.link;
    const { origin, pathname } = location;
    return origin + pathname + formatLink({ ...noLink, lesson, lang }, noSelection);
  }

  private async saveWorksheet(lesson: Lesson) {
    const { worksheetOf } = await import('./worksheet.ts');
    download(
      new Blob([worksheetOf(lesson, this.addressOf(lesson.id))], { type: 'text/html' }),
      `${lesson.title()}.html`,
    );
  }

  private async copyLink(lesson: string) {
    const href = this.addressOf(lesson);
    this.link = (await this.app.links.copy(href)) ? '' : href;
  }

  private leave() {
    this.app.lessons.close();
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.entry')?.focus());
  }

  private renderPart(lesson: Lesson, part: Part, current: boolean) {
    const done = this.app.lessons.progressOf(lesson.id).done.includes(part.id);
    const mark = done ? '✓' : current ? '▸' : '○';
    const stateText = done ? msg('done') : current ? msg('to do now') : msg('later');
    return html`<li class="part ${done ? 'done' : current ? 'current' : 'later'}" data-part=${part.id} aria-current=${current ? 'step' : 'false'}>
      <h3><span aria-hidden="true">${mark}</span> ${part.title()} <span class="visually-hidden">(${stateText})</span></h3>
      ${current ? this.renderCurrent(lesson, part) : done ? html`${this.renderAnswer(lesson, part)}${this.renderAgain(part)}` : nothing}
    </li>`;
  }

  /** The text of a finished part, folded: it may end while it is read. */
  private renderAgain(part: Part) {
    return html`<details><summary class="small">${msg('Read again')}</summary>${part.text().map((each) => html`<p>${each}</p>`)}</details>`;
  }

  /** The answer to a part's question, with the numbers that have come since. */
  private renderAnswer(lesson: Lesson, { id, ask }: Part) {
    const choice = ask?.choices[this.app.lessons.progressOf(lesson.id).answers[id]];
    if (!ask || !choice) return nothing;
    const seen = lessonContext(this.state);
    const result = ask.result?.(seen) ?? '';
    const shown = ask.choices[ask.outcome?.(seen) ?? -1];
    return html`<p class="soft">${msg(str`Your answer: ${choice.text()}`)}</p>
      ${shown ? html`<p class=${shown === choice ? 'good' : ''}>${shown === choice ? html`<span aria-hidden="true">✓</span> ${msg('Your run shows the same.')}` : msg(str`Your run shows something else: ${shown.text()}`)}</p>` : nothing}
      ${result ? html`<p class="far number">${result}</p>` : nothing}`;
  }

  private renderCurrent(lesson: Lesson, part: Part) {
    const { where, help } = part;
    const far = part.far?.(lessonContext(this.state)) ?? '';
    const busy = this.state.busy !== null;
    return html`${part.text().map((each) => html`<p>${each}</p>`)}
      ${far ? html`<p class="far number" role="status">${far}</p>` : nothing}
      ${part.ask ? this.renderAsk(lesson, part, part.ask) : nothing}
      <div class="row">
        ${help ? html`<button class="primary" data-do="help" ?disabled=${busy} @click=${() => help.act(this.app)}>${help.label()}</button>` : nothing}
        ${where ? html`<button data-do="where" @click=${() => this.go(part)}>${msg('Take me there')}</button>` : nothing}
        ${part.experiment ? html`<button class="link" data-do="set-up" ?disabled=${busy} @click=${() => this.app.lessons.begin(part.experiment)}>${msg('Restore the setup')}</button>` : nothing}
      </div>`;
  }

  private go({ where }: Part) {
    if (!where) return;
    this.app.lessons.go(where);
    this.dispatchEvent(new CustomEvent('go-to-panel', { detail: where.panel, bubbles: true, composed: true }));
  }

  private renderQuestions(lesson: Lesson) {
    return html`<section aria-labelledby="questions" class="questions"><h3 id="questions">${msg('Two questions')}</h3>
      ${lesson.questions.map((question) => this.renderQuestion(lesson, question))}
      ${isFinished(lesson, this.app.lessons.progressOf(lesson.id)) ? this.renderEnd(lesson) : nothing}
    </section>`;
  }

  private renderQuestion(lesson: Lesson, question: Question) {
    const { id } = question;
    return renderQuestion(question, {
      ...this.marking(lesson, id),
      given: this.app.lessons.progressOf(lesson.id).answers[id],
    });
  }

  /** Question of a part, once the page shows what it is about. */
  private renderAsk(lesson: Lesson, { id }: Part, { ready, ...ask }: Ask) {
    if (!(ready?.(lessonContext(this.state)) ?? true)) return nothing;
    return renderQuestion({ id, ...ask }, this.marking(lesson, id));
  }

  private marking(lesson: Lesson, id: string) {
    return {
      marked: this.marked[id],
      mark: (choice: number) => {
        this.marked = { ...this.marked, [id]: choice };
      },
      answer: () => this.app.lessons.answer(lesson.id, id, this.marked[id]),
    };
  }

  private renderEnd(lesson: Lesson) {
    const { lessons } = this.app.lessons;
    const next = lessons[lessons.indexOf(lesson) + 1];
    const right = rightAnswers(lesson, this.app.lessons.progressOf(lesson.id));
    return html`<div class="message finished" role="status"><strong>✓ ${msg('This lesson is finished.')}</strong>
        ${msg(str`${right} of ${lesson.questions.length} first answers were right.`)}</div>
      ${next ? html`<button class="primary" data-do="next-lesson" @click=${() => this.open(next.id)}>${msg(str`Next: ${next.title()}`)}</button>` : html`<p>${msg('That was the last one. Choose a preset, or an experiment of your own.')}</p>`}`;
  }
}
