/**
 * Form that makes an assignment of the experiment in the setup: title, goal, bounds, settings that may change, and
 * questions. Sensible values stand in every field, so that a link can be copied at once.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import {
  type Assignment,
  AssignmentError,
  newAssignment,
  parseAssignment,
  usualSettings,
} from '../../classroom/assignment.ts';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import { settingLabel } from './setting-label.ts';
import { classroomStyles } from './styles.ts';

interface Question {
  text: string;
  /** One choice a line; empty: answered in words. The first is right; they are put into another order. */
  choices: string;
  textZh: string;
  /** The same choices in Chinese, in the same order; empty: none. */
  choicesZh: string;
}

/** Goal for a run: a little below what it reached, so that others reach it too. */
const usualGoal = 0.3;
const shareOfReached = 0.8;

@customElement('tabgym-assignment-maker')
export class TabgymAssignmentMaker extends Panel {
  static override styles = [controls, classroomStyles];

  @state() private heading: string | null = null;
  @state() private titleZh = '';
  @state() private intro = '';
  @state() private introZh = '';
  @state() private deadline = '';
  @state() private goal: number | null = null;
  @state() private allowed: ReadonlySet<string> | null = null;
  @state() private questions: readonly Question[] = [];
  @state() private problem = '';
  @state() private link = '';

  constructor() {
    super(['draft', 'run', 'records', 'busy']);
  }

  private get usual(): string[] {
    const { draft } = this.state;
    return draft ? usualSettings(draft) : [];
  }

  /** Held-out success that is asked for, from 0 to 1. */
  private get atLeast(): number {
    if (this.goal !== null) return this.goal;
    const last = this.state.records.findLast(({ evaluation }) => evaluation)?.evaluation?.test.policy;
    return last ? Math.floor(100 * shareOfReached * last.low) / 100 : usualGoal;
  }

  override render() {
    const { draft } = this.state;
    if (!draft) return nothing;
    const typed = (set: (value: string) => void) => (event: Event) => {
      this.link = '';
      set((event.target as HTMLInputElement).value);
    };
    return html`<h2>${msg('Make an assignment')}</h2>
      <p class="soft small">${msg('The experiment in the setup, with this goal. Every field has a value that works: change what you like, then copy the link.')}</p>
      <div class="fields">
        <label for="title">${msg('Title')}</label><input id="title" maxlength="200" .value=${this.heading ?? draft.name} @change=${typed((value) => (this.heading = value))} />
        <label for="title-zh">${msg('Title in Chinese (optional)')}</label><input id="title-zh" maxlength="200" .value=${this.titleZh} @change=${typed((value) => (this.titleZh = value))} />
        <label for="deadline">${msg('Hand in by (text, optional)')}</label><input id="deadline" maxlength="200" .value=${this.deadline} @change=${typed((value) => (this.deadline = value))} />
        <label for="goal">${msg('Least held-out success, in %')}</label><input id="goal" type="number" min="0" max="100" step="1" .value=${String(Math.round(100 * this.atLeast))} @change=${typed((value) => (this.goal = Math.min(1, Math.max(0, Number(value) / 100))))} />
        <label class="wide" for="intro">${msg('What it is about (optional)')}</label><textarea id="intro" rows="2" maxlength="4000" .value=${this.intro} @change=${typed((value) => (this.intro = value))}></textarea>
        ${this.intro ? html`<label class="wide" for="intro-zh">${msg('The same in Chinese (optional)')}</label><textarea id="intro-zh" rows="2" maxlength="4000" lang="zh-Hans" .value=${this.introZh} @change=${typed((value) => (this.introZh = value))}></textarea>` : nothing}
      </div>
      ${this.renderAllowed()} ${this.renderQuestions()}
      ${this.problem ? html`<p class="message error" role="alert">${this.problem}</p>` : nothing}
      <div class="row"><button class="primary" data-do="copy-link" @click=${this.copy}>${msg('Copy the pupils’ link')}</button>
        <button data-do="save-pupils" @click=${() => this.save(false)}>${msg('Save the pupils’ file')}</button>
        <button data-do="save-key" @click=${() => this.save(true)}>${msg('Save with the answers, for grading')}</button></div>
      ${this.link ? html`<label for="link">${msg('Link')}</label><textarea id="link" rows="3" readonly .value=${this.link}></textarea>` : nothing}
      <p class="soft small">${msg('Keep the file with the answers: grading needs it.')}</p>`;
  }

  private renderAllowed() {
    const allowed = this.allowed ?? new Set(this.usual);
    const toggle = (path: string) => {
      const next = new Set(allowed);
      if (!next.delete(path)) next.add(path);
      this.allowed = next;
      this.link = '';
    };
    return html`<fieldset><legend><strong>${msg('Pupils may change')}</strong></legend>${[...this.usual, 'reward'].map(
      (path) =>
        html`<label class="choice"><input type="checkbox" .checked=${allowed.has(path)} @change=${() => toggle(path)} /><span>${settingLabel(path, this.state.draft!)}</span></label>`,
    )}</fieldset>`;
  }

  private renderQuestions() {
    const change = (at: number, patch: Partial<Question> | null) => {
      this.link = '';
      this.questions = this.questions.flatMap((each, k) => (k !== at ? [each] : patch ? [{ ...each, ...patch }] : []));
    };
    return html`<section><h3>${msg('Questions')}</h3>
      ${this.questions.map(
        ({ text, choices, textZh, choicesZh }, k) => html`<div class="task">
          <label for=${`question-${k}`}>${msg(str`Question ${k + 1}`)}</label><textarea id=${`question-${k}`} rows="2" .value=${text} @change=${(event: Event) => change(k, { text: (event.target as HTMLTextAreaElement).value })}></textarea>
          <label for=${`choices-${k}`}>${msg('Choices, one a line, the right one first; empty: answered in words')}</label><textarea id=${`choices-${k}`} rows="3" .value=${choices} @change=${(event: Event) => change(k, { choices: (event.target as HTMLTextAreaElement).value })}></textarea>
          <details ?open=${textZh !== '' || choicesZh !== ''}><summary class="small">${msg('In Chinese (optional)')}</summary>
            <label for=${`question-zh-${k}`}>${msg('Question in Chinese')}</label><textarea id=${`question-zh-${k}`} rows="2" lang="zh-Hans" .value=${textZh} @change=${(event: Event) => change(k, { textZh: (event.target as HTMLTextAreaElement).value })}></textarea>
            <label for=${`choices-zh-${k}`}>${msg('Choices in Chinese, in the same order')}</label><textarea id=${`choices-zh-${k}`} rows="3" lang="zh-Hans" .value=${choicesZh} @change=${(event: Event) => change(k, { choicesZh: (event.target as HTMLTextAreaElement).value })}></textarea></details>
          <button class="link" @click=${() => change(k, null)}>${msg('Remove the question')}</button></div>`,
      )}
      <div><button data-do="add-question" @click=${() => (this.questions = [...this.questions, { text: '', choices: '', textZh: '', choicesZh: '' }])}>${msg('Add a question')}</button></div></section>`;
  }

  /** The document; null if something in it is wrong, which is then shown. */
  private made(): Assignment | null {
    const { draft } = this.state;
    this.problem = '';
    if (!draft) return null;
    const { sweep: _sweep, ...experiment } = draft;
    try {
      const base = newAssignment(experiment, this.atLeast);
      const allowed = this.allowed ?? new Set(this.usual);
      return parseAssignment({
        ...base,
        title: { en: this.heading ?? draft.name, ...(this.titleZh.trim() && { zh: this.titleZh }) },
        ...(this.intro.trim() && { intro: { en: this.intro, ...(this.introZh.trim() && { zh: this.introZh }) } }),
        ...(this.deadline.trim() && { deadline: this.deadline }),
        mayChange: [...allowed].map((path) => ({ path })),
        tasks: [...base.tasks, ...this.questions.map(taskOf)],
      });
    } catch (error) {
      if (!(error instanceof AssignmentError)) throw error;
      this.problem = error.message;
      return null;
    }
  }

  private async copy() {
    const document = this.made();
    if (!document) return;
    const { href, tooLong } = await this.app.assignments.link(document);
    if (tooLong) {
      this.problem = msg('This assignment is too long for a link of 8 KB. Save the pupils’ file instead.');
      return;
    }
    this.link = href;
    await this.app.links.copy(href);
  }

  private save(answers: boolean) {
    const document = this.made();
    if (document) void this.app.assignments.save(document, { answers });
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);

/** A question as a task; the right choice moves to a place that depends on the texts. */
function taskOf({ text, choices, textZh, choicesZh }: Question, k: number) {
  const [lines, chinese] = [linesOf(choices), linesOf(choicesZh)];
  const common = { id: `question-${k + 1}`, text: { en: text, ...(textZh.trim() && { zh: textZh }) }, points: 1 };
  if (lines.length === 0) return { ...common, kind: 'text' };
  const all = lines.map((en, at) => ({ en, ...(chinese[at] && { zh: chinese[at] }) }));
  const ordered = [...all].sort((a, b) => (a.en < b.en ? -1 : 1));
  return { ...common, kind: 'choice', choices: ordered, answer: ordered.indexOf(all[0]) };
}
