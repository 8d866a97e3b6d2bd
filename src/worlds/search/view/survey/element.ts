/**
 * View of a survey: the question and its criteria, the searches, the open document, and the reading list as it fills,
 * which may be saved as CSV or BibTeX. After the end it shows the right places and the score.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { documentCount, turnCount } from '../../../../ui/kit/counts.ts';
import { download } from '../../../../ui/kit/download.ts';
import { bracketed, colon } from '../../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../../ui/kit/localized-element.ts';
import { controls } from '../../../../ui/kit/styles/shared.ts';
import { readingBibtex, readingCsv } from '../../survey/export.ts';
import type { Grade } from '../../survey/score.ts';
import type { ReadingRow, SurveyView } from '../../survey/view-data.ts';
import { surveyStyles } from './styles.ts';

const placeLabel = (grade: Grade): string =>
  ({
    yes: msg('yes', { desc: 'place in a survey' }),
    partly: msg('partly'),
    no: msg('no', { desc: 'place in a survey' }),
  })[grade];
const placeMarks: { readonly [grade in Grade]: string } = { yes: '●', partly: '◐', no: '○' };

/** Number of latest searches shown. */
const shownSearches = 3;

@customElement('tabgym-survey-view')
export class TabgymSurveyView extends LocalizedElement {
  static override styles = [controls, surveyStyles];

  @property({ attribute: false }) view: SurveyView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="question">${msg('Question')}${colon()}<strong>${view.question}</strong></p>
      <ol>${view.criteria.map((criterion) => html`<li>${criterion}</li>`)}</ol>
      ${view.score ? this.renderScore(view) : nothing}
      ${this.renderList(view)}
      ${view.open ? this.renderOpen(view.open) : nothing}
      ${this.renderSearches(view)}
    </div>`;
  }

  private renderList(view: SurveyView) {
    const { rows } = view;
    const filed = rows.filter(({ grade }) => grade !== null).length;
    return html`<div>
      <div class="head">
        <h3 id="list">${msg(str`Reading list: ${filed} of ${documentCount(rows.length)} filed`)}</h3>
        <button ?disabled=${!filed} @click=${() => this.save('text/csv', 'csv', readingCsv(view))}>${msg('Save as CSV')}</button>
        <button ?disabled=${!filed} @click=${() => this.save('application/x-bibtex', 'bib', readingBibtex(view))}>${msg('Save as BibTeX')}</button>
      </div>
      ${
        rows.length
          ? html`<div class="scroll" tabindex="0" role="region" aria-labelledby="list"><table>
              <thead><tr><th scope="col">${msg('Work')}</th><th scope="col">${msg('Filed')}</th><th scope="col">${msg('Evidence')}</th></tr></thead>
              <tbody>${rows.map((row) => this.renderRow(row))}</tbody>
            </table></div>`
          : html`<p class="soft small">${msg('No document has been opened yet.')}</p>`
      }
    </div>`;
  }

  private renderRow({ title, author, year, grade, evidence, truth }: ReadingRow) {
    const place = grade
      ? html`<span aria-hidden="true">${placeMarks[grade]}</span> ${placeLabel(grade)}`
      : html`<span class="soft">${msg('not filed')}</span>`;
    return html`<tr>
      <th scope="row"><strong>${title}</strong> <span class="soft">${[author, year].filter((each) => each).join(', ')}</span></th>
      <td class="place">${place}${truth ? this.renderTruth(grade, truth) : nothing}</td>
      <td class="wide">${evidence}</td>
    </tr>`;
  }

  private renderTruth(grade: Grade | null, { grade: right, shown }: NonNullable<ReadingRow['truth']>) {
    if (grade === null && right === 'no') return nothing;
    if (grade !== right) return html` <span class="bad">✕ ${msg(str`right: ${placeLabel(right)}`)}</span>`;
    return shown
      ? html` <span class="good">✓ ${msg('right')}</span>`
      : html` <span class="bad">✕ ${msg('other evidence needed')}</span>`;
  }

  private renderScore({ score, missed, turns }: SurveyView) {
    const { f1, precision, recall, shown, filed } = score!;
    const each = filed ? (turns / filed).toFixed(1) : '–';
    return html`<div role="status">
      <p><strong>${msg(str`F1 ${f1.toFixed(2)}`)}</strong>
        <span class="soft">${msg(str`precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}`)}</span></p>
      <p>${msg(str`Place and evidence right: ${shown} of ${filed}`)} · ${turnCount(turns)}, ${msg(str`${each} for each filed document`)}</p>
      ${
        missed.length
          ? html`<p>${msg('Not filed')}${colon()}${missed.map(({ title, grade }) => `${title || msg('a document never listed')}${bracketed(placeLabel(grade))}`).join(', ')}</p>`
          : nothing
      }
    </div>`;
  }

  private renderOpen({ title, sentences }: NonNullable<SurveyView['open']>) {
    return html`<div>
      <h3>${msg('Open document')}</h3>
      <div class="document"><strong>${title}</strong><ol>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ol></div>
    </div>`;
  }

  private renderSearches({ searches }: SurveyView) {
    if (!searches.length) return html`<p class="soft small">${msg('No searches yet.')}</p>`;
    const shown = searches.slice(-shownSearches).reverse();
    return html`<div>
      <h3>${msg('Searches')}</h3>
      <ul>${shown.map(({ query, titles, more }) => {
        const found = titles.join(', ') || msg('nothing found');
        const rest = more ? html` <span class="soft">${msg(str`and ${more} more`)}</span>` : nothing;
        return html`<li class="small"><strong>${query}</strong>: ${found}${rest}</li>`;
      })}</ul>
    </div>`;
  }

  private save(type: string, ending: string, text: string) {
    download(new Blob([text], { type }), `survey.${ending}`);
  }
}
