/** The current task of the open lesson, above the cards that it speaks of. Empty if no lesson is open. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import { lessonContext } from '../state/lesson.ts';

@customElement('tabgym-lesson-part')
export class TabgymLessonPart extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
      }
      section {
        display: grid;
        gap: 6px;
        padding: 10px 12px;
        margin-block-end: 10px;
        border-radius: var(--radius);
        background: var(--accent-soft);
      }
      .far {
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super([
      ...(['lesson', 'lessonsReady', 'progressOfLessons', 'run', 'records', 'status', 'live', 'recorded'] as const),
      ...(['selection', 'detail', 'inspection', 'played', 'learn'] as const),
    ]);
  }

  override render() {
    const lesson = this.app.lessons.opened;
    if (!lesson) return nothing;
    const part = this.app.lessons.current(lesson);
    const back = () => this.app.layout.openLearn('lessons');
    const far = part?.far?.(lessonContext(this.state)) ?? '';
    return html`<section aria-label=${lesson.title()}>
      <div class="row spread"><strong>${part ? part.title() : lesson.title()}</strong>
        <button class="link small" @click=${back}>${msg('The whole lesson')}</button></div>
      ${part ? part.text().map((each) => html`<p>${each}</p>`) : html`<p>${msg('All tasks are done. Two questions are left.')}</p>`}
      ${far ? html`<p class="far number" role="status">${far}</p>` : nothing}
    </section>`;
  }
}
