/**
 * A question with choices: one is marked, then answered. Before the answer no feedback is shown; after it all feedback
 * stays, and the choices no longer change.
 */
import { msg } from '@lit/localize';
import { html, nothing, type TemplateResult } from 'lit';

interface Asked {
  id: string;
  text(): string;
  choices: readonly { text(): string; right?: boolean; feedback?(): string }[];
}

interface Marking {
  /** Answered choice; undefined before the answer. */
  given?: number;
  /** Choice that is marked and not answered yet. */
  marked: number | undefined;
  mark(choice: number): void;
  answer(): void;
}

export function renderQuestion({ id, text, choices }: Asked, { given, marked, mark, answer }: Marking): TemplateResult {
  const isAnswered = given !== undefined;
  const chosen = given ?? marked;
  return html`<fieldset data-question=${id}>
    <legend>${text()}</legend>
    ${choices.map(
      (
        choice,
        k,
      ) => html`<label class="choice"><input type="radio" name=${id} .checked=${k === chosen} ?disabled=${isAnswered && k !== given}
        @change=${() => mark(k)} /><span>${choice.text()}</span></label>${isAnswered ? renderFeedback(choice, k === given) : nothing}`,
    )}
    ${isAnswered ? nothing : html`<div class="row"><button data-do="answer" ?disabled=${marked === undefined} @click=${answer}>${msg('Answer', { id: 'lesson.answer' })}</button><span class="soft small">${msg('The first answer counts.')}</span></div>`}
    <p class="visually-hidden" role="status">${isAnswered ? `${verdict(choices[given])} ${choices[given].feedback?.() ?? ''}` : nothing}</p>
  </fieldset>`;
}

const verdict = ({ right }: Asked['choices'][number]) => (right ? msg('Right.') : msg('Not quite.'));

function renderFeedback(choice: Asked['choices'][number], isGiven: boolean) {
  const { right, feedback } = choice;
  const mark = right ? '✓' : '✕';
  return html`<p class="feedback ${right ? 'good' : isGiven ? 'bad' : ''}">${
    isGiven
      ? html`<strong>${mark} ${verdict(choice)}</strong> `
      : right
        ? html`<span aria-hidden="true">${mark}</span> `
        : nothing
  }${feedback?.()}</p>`;
}
