/**
 * View of SQL: the question, the turns with their rows or errors beside the tables of the database, at the end the rows
 * that were given and those that were right, and, for a person who plays, a form for a call.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { rowCount } from '../../../ui/kit/counts.ts';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { callStyles } from '../../../ui/kit/styles/calls.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import { type SqlTool, sqlTools } from '../tools.ts';
import type { RowsSeen, SqlView, TurnSeen } from '../view-data.ts';

type ToolName = SqlTool['name'];

const labels: { readonly [name in ToolName]: () => string } = {
  tables: () => msg('List the tables'),
  describe: () => msg('Show a table'),
  query: () => msg('Run a statement'),
  answer: () => msg('Answer'),
};

@customElement('tabgym-sql-view')
export class TabgymSqlView extends LocalizedElement {
  static override styles = [
    controls,
    callStyles,
    css`
      @container (min-width: 560px) {
        .beside {
          grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
        }
      }
      .question {
        font-size: var(--size-l);
        overflow-wrap: anywhere;
      }
      textarea,
      td {
        font-family: var(--mono);
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }
      th,
      td {
        padding-inline-end: 12px;
      }
      .schema {
        display: grid;
        gap: 8px;
        list-style: none;
        overflow-wrap: anywhere;
      }
      .right {
        color: var(--good);
      }
      .wrong {
        color: var(--bad);
      }
      form {
        display: grid;
        gap: 8px;
      }
      label {
        display: grid;
        gap: 2px;
      }
      textarea {
        inline-size: 100%;
        box-sizing: border-box;
      }
    `,
  ];

  @property({ attribute: false }) view: SqlView | null = null;
  /** True if a person plays; a view that only shows an episode has no form. */
  @property({ type: Boolean }) playable = false;
  @state() private chosen: ToolName = 'query';

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="question">${msg('Question')}${colon()}<strong>${view.question}</strong></p>
      ${view.evidence ? html`<p>${msg('Hint')}${colon()}${view.evidence}</p>` : nothing}
      ${view.outcome ? this.renderOutcome(view.outcome) : nothing}
      ${this.playable && !view.outcome ? this.renderForm(view) : nothing}
      <div class="beside">
        <div>
          <h3>${msg('Calls')}</h3>
          ${
            view.turns.length
              ? html`<ol>${view.turns.map((turn, k) => this.renderTurn(turn, k))}</ol>`
              : html`<p class="soft small">${msg('No calls yet.')}</p>`
          }
        </div>
        <div>
          <h3>${msg(str`Database ${view.database}`)}</h3>
          <ul class="schema">${view.tables.map((table) => this.renderSchema(table))}</ul>
        </div>
      </div>
    </div>`;
  }

  private renderOutcome({ success, ordered, statement, given, gold, right }: NonNullable<SqlView['outcome']>) {
    const verdict = success
      ? html`<strong class="right">✓ ${msg('Success')}</strong>`
      : html`<strong class="wrong">✕ ${msg('No success')}</strong>`;
    const rule = ordered
      ? msg('The rows must be the right ones, in the right order.')
      : msg('The rows must be the right ones, in any order.');
    return html`<p role="status">${verdict} <span class="soft small">${rule}</span></p>
      ${success ? nothing : this.renderRows(msg('Rows of the answer'), statement, given)}
      ${this.renderRows(msg('Right rows'), gold, right)}`;
  }

  private renderRows(caption: string, statement: string, { columns, rows, count }: RowsSeen) {
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <p class="call">${statement}</p>
      <table>
        <caption>${caption} <span class="soft small">${rowCount(count)}</span></caption>
        <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`;
  }

  private renderTurn({ call, answer, ok }: TurnSeen, index: number) {
    return html`<li>
      <div class="call">${index + 1}. ${call}</div>
      <div class="answer ${ok ? '' : 'refused'}">${ok ? '' : html`<span class="wrong">✕ ${msg('refused')}</span> `}${answer}</div>
    </li>`;
  }

  private renderSchema({ name, rows, columns }: SqlView['tables'][number]) {
    const column = (each: (typeof columns)[number]) =>
      html`${each.isKey ? html`<u>${each.name}</u>` : each.name}${each.references ? html` <span class="soft">→ ${each.references}</span>` : nothing}`;
    return html`<li><strong>${name}</strong> <span class="soft small">${rowCount(rows)}</span><br />
      <span class="small">${columns.map((each, k) => html`${k ? ', ' : ''}${column(each)}`)}</span></li>`;
  }

  private renderForm({ tables, turns }: SqlView) {
    return html`<form @submit=${this.act}>
      <label>${msg('Action')}
        <select name="tool" @change=${this.choose}>
          ${sqlTools.map(({ name }) => html`<option value=${name} ?selected=${name === this.chosen}>${labels[name]()}</option>`)}
        </select>
      </label>
      ${this.chosen === 'describe' ? this.renderTables(tables) : nothing}
      ${this.chosen === 'query' || this.chosen === 'answer' ? this.renderStatement(turns) : nothing}
      <div class="row"><button class="primary">${labels[this.chosen]()}</button></div>
    </form>`;
  }

  private renderTables(tables: SqlView['tables']) {
    return html`<label>${msg('Table')}
      <select name="argument">${tables.map(({ name }) => html`<option>${name}</option>`)}</select></label>`;
  }

  private renderStatement(turns: readonly TurnSeen[]) {
    const optional = this.chosen === 'answer' && turns.some(({ columns }) => columns.length > 0);
    return html`<label>${msg('Statement')}
      ${optional ? html`<span class="soft small">${msg('Leave it empty to answer with the last rows.')}</span>` : nothing}
      <textarea name="argument" rows="4" spellcheck="false" ?required=${!optional} placeholder="SELECT"></textarea></label>`;
  }

  private choose = (event: Event) => {
    this.chosen = (event.target as HTMLSelectElement).value as ToolName;
  };

  private act = (event: Event) => {
    event.preventDefault();
    const argument = String(new FormData(event.target as HTMLFormElement).get('argument') ?? '').trim();
    const detail = argument ? `${this.chosen} ${argument}` : this.chosen;
    this.dispatchEvent(new CustomEvent('world-act', { detail, bubbles: true, composed: true }));
  };
}
