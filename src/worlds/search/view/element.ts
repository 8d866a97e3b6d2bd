/**
 * View of Search: the question, the evidence found so far, and each search with its documents and highlighted matches.
 * Every symbol has a text label beside it.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { splitAtTerms } from '../../../corpus/retrieval/query.ts';
import { documentCount } from '../../../ui/kit/counts.ts';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { SearchSeen, SearchView } from '../view-data.ts';

/** Number of latest searches shown in full; earlier ones are folded. */
const openSearches = 2;

@customElement('tabgym-search-view')
export class TabgymSearchView extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        container-type: inline-size;
      }
      .parts {
        display: grid;
        gap: 12px;
      }
      .question {
        font-size: var(--size-l);
        overflow-wrap: anywhere;
      }
      h3 {
        margin-block-end: 4px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      ol {
        list-style: none;
      }
      .chain {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 8px;
        align-items: center;
      }
      .chain li {
        padding: 1px 8px;
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius);
        color: var(--text-2);
      }
      .chain .found {
        border: 1px solid var(--good);
        color: var(--good);
      }
      summary {
        cursor: pointer;
        padding-block: 4px;
      }
      .query {
        font-family: var(--mono);
        overflow-wrap: anywhere;
      }
      .documents {
        display: grid;
        gap: 6px;
        margin-block: 4px 8px;
      }
      .documents li {
        padding: 4px 8px;
        border-inline-start: 3px solid var(--line);
        background: var(--surface-2);
        overflow-wrap: anywhere;
      }
      .documents .evidence {
        border-color: var(--good);
      }
      .documents p {
        white-space: pre-wrap;
        font-size: var(--size-s);
      }
      mark {
        background: var(--accent-soft);
        color: inherit;
        border-block-end: 2px solid var(--accent);
      }
      .right {
        color: var(--good);
      }
      .wrong {
        color: var(--bad);
      }
    `,
  ];

  @property({ attribute: false }) view: SearchView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="question">${msg('Question')}${colon()}<strong>${view.question}</strong></p>
      ${view.chain.length ? this.renderChain(view) : nothing}
      ${view.answer === null ? nothing : this.renderAnswer(view)}
      <div>
        <h3>${msg('Searches')}</h3>
        ${
          view.searches.length
            ? html`<ol>${view.searches.map((search, k) => this.renderSearch(search, k))}</ol>`
            : html`<p class="soft small">${msg('No searches yet.')}</p>`
        }
      </div>
    </div>`;
  }

  private renderChain({ chain }: SearchView) {
    const found = chain.filter((each) => each.found).length;
    return html`<div>
      <h3>${msg(str`Evidence: ${found} of ${chain.length} found`)}</h3>
      <ol class="chain">${chain.map(({ title, found }, k) =>
        found
          ? html`<li class="found"><span aria-hidden="true">✓ </span>${title}</li>`
          : html`<li><span aria-hidden="true">○ </span>${msg(str`article ${k + 1}, not yet found`)}</li>`,
      )}</ol>
    </div>`;
  }

  private renderAnswer({ answer, right, golds }: SearchView) {
    const verdict =
      right === null
        ? html`<span class="wrong">✕ ${msg('wrong so far')}</span>`
        : right
          ? html`<span class="right">✓ ${msg('right')}</span>`
          : html`<span class="wrong">✕ ${msg('wrong')}</span>`;
    const accepted =
      right === false && golds.length ? html` ${msg(str`Accepted answers: ${golds.join(', ')}`)}` : nothing;
    return html`<p>${msg('Answer')}${colon()}<strong>${answer}</strong> ${verdict}${accepted}</p>`;
  }

  private renderSearch({ query, words, documents }: SearchSeen, index: number) {
    const last = this.view!.searches.length - index <= openSearches;
    return html`<li><details ?open=${last}>
      <summary>${index + 1}. <span class="query">${query}</span> <span class="small soft">${
        documents.length ? documentCount(documents.length) : msg('nothing found')
      }</span></summary>
      <ol class="documents">${documents.map(
        ({ title, text, evidence }) => html`<li class=${evidence ? 'evidence' : ''}>
          <strong>${this.renderMarked(title, words)}</strong>${
            evidence ? html` <span class="small right">✓ ${msg('evidence')}</span>` : nothing
          }
          <p>${this.renderMarked(text, words)}</p>
        </li>`,
      )}</ol>
    </details></li>`;
  }

  private renderMarked(text: string, words: readonly string[]) {
    return splitAtTerms(text, words).map((part, k) => (k % 2 ? html`<mark>${part}</mark>` : part));
  }
}
