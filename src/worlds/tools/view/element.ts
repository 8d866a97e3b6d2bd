/**
 * View of a world of tools: the calls with their answers as a conversation, the state beside it with its changes, and,
 * for a person who plays, a form made of the tools' schemas.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Json } from '../../../envs/env.ts';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { callStyles } from '../../../ui/kit/styles/calls.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { Parameter, Tool } from '../tool.ts';
import type { CallSeen, StateRow, StateTable, ToolsView } from '../view-data.ts';

/** Longest answer shown in full; the rest is folded. */
const shortAnswer = 400;

const typesOf = ({ type }: Parameter): readonly string[] => (typeof type === 'string' ? [type] : type);

/** Value of a form's text: the choice, number or list that it spells, or the text itself. */
function fieldValue(text: string, parameter: Parameter): Json {
  const choice = parameter.enum?.find((each) => String(each) === text);
  if (choice !== undefined) return choice;
  const types = typesOf(parameter);
  if (types.some((type) => type === 'integer' || type === 'number') && text.trim() && Number.isFinite(Number(text)))
    return Number(text);
  if (types.includes('array') && /^\s*\[/.test(text)) return parsedOr(text);
  return text;
}

function parsedOr(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

@customElement('tabgym-tools-view')
export class TabgymToolsView extends LocalizedElement {
  static override styles = [
    controls,
    callStyles,
    css`
      @container (min-width: 560px) {
        .beside {
          grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        }
      }
      .goal {
        font-size: var(--size-l);
        overflow-wrap: anywhere;
      }
      summary {
        cursor: pointer;
      }
      table {
        inline-size: 100%;
        margin-block-end: 8px;
      }
      .changed td {
        background: var(--accent-soft);
      }
      .seen td:first-child {
        box-shadow: inset 3px 0 var(--accent);
        padding-inline-start: 8px;
      }
      .gone td {
        color: var(--text-2);
        text-decoration: line-through;
      }
      .gone td:last-child {
        text-decoration: none;
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
    `,
  ];

  @property({ attribute: false }) view: ToolsView | null = null;
  /** True if a person plays; a view that only shows an episode has no form. */
  @property({ type: Boolean }) playable = false;
  @state() private chosen = '';

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="goal">${msg('Goal')}${colon()}<strong>${view.goal}</strong></p>
      ${view.outcome ? this.renderOutcome(view.outcome) : nothing}
      ${this.playable && !view.outcome ? this.renderForm(view) : nothing}
      <div class="beside">
        <div>
          <h3>${msg('Calls')}</h3>
          ${
            view.calls.length
              ? html`<ol>${view.calls.map((call, k) => this.renderCall(call, k))}</ol>`
              : html`<p class="soft small">${msg('No calls yet.')}</p>`
          }
        </div>
        <div>
          <h3>${msg('State behind the tools')}</h3>
          ${view.tables.map((table) => this.renderTable(table))}
        </div>
      </div>
    </div>`;
  }

  private renderOutcome({
    success,
    answer,
    right,
    answerIsRight,
    stateIsRight,
    reached,
    all,
  }: NonNullable<ToolsView['outcome']>) {
    const verdict = success
      ? html`<strong class="right">✓ ${msg('Success')}</strong>`
      : html`<strong class="wrong">✕ ${msg('No success')}</strong>`;
    const told = answerIsRight
      ? html`<span class="right">✓ ${msg(str`Answer "${answer}" is right`)}</span>`
      : html`<span class="wrong">✕ ${msg(str`Answer "${answer}" is wrong: it is "${right}"`)}</span>`;
    const kept = stateIsRight
      ? html`<span class="right">✓ ${msg('The state is as asked')}</span>`
      : html`<span class="wrong">✕ ${msg('The state is not as asked')}</span>`;
    return html`<p role="status">${verdict} · ${told} · ${kept} · ${msg(str`${reached} of ${all} subgoals`)}</p>`;
  }

  private renderCall({ call, answer, ok, changed }: CallSeen, index: number) {
    const long = answer.length > shortAnswer;
    const shown = html`<div class="answer ${ok ? '' : 'refused'}">${ok ? '' : html`<span class="wrong">✕ ${msg('refused')}</span> `}${answer}</div>`;
    const isLast = index === this.view!.calls.length - 1;
    return html`<li>
      <div class="call">${index + 1}. ${call}</div>
      ${
        answer === ''
          ? nothing
          : long
            ? html`<details ?open=${isLast}><summary class="small soft">${answer.slice(0, 60)}…</summary>${shown}</details>`
            : shown
      }
      ${changed.map((each) => html`<div class="small right">→ ${each}</div>`)}
    </li>`;
  }

  private renderTable({ title, columns, rows }: StateTable) {
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
      <caption>${title}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => this.renderRow(row))}</tbody>
    </table></div>`;
  }

  private renderRow({ cells, change }: StateRow) {
    return html`<tr class=${change}>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  }

  private renderForm({ tools, suggestions }: ToolsView) {
    const tool = tools.find(({ name }) => name === this.chosen) ?? tools[0];
    return html`<form @submit=${(event: Event) => this.act(event, tool)}>
      <label>${msg('Tool')}
        <select name="tool" data-tool=${tool.name} .value=${tool.name} @change=${this.choose}>
          ${tools.map(({ name }) => html`<option value=${name} ?selected=${name === tool.name}>${name}</option>`)}
        </select>
        <span class="soft small">${tool.description}</span>
      </label>
      ${Object.entries(tool.parameters).map(([name, parameter]) =>
        this.renderField(name, parameter, suggestions[name] ?? [], tool.optional?.includes(name) ?? false),
      )}
      <div class="row"><button class="primary">${msg('Call the tool')}</button></div>
    </form>`;
  }

  private renderField(name: string, parameter: Parameter, shown: readonly string[], optional: boolean) {
    const label = html`${name}${optional ? html` <span class="soft small">${msg('optional')}</span>` : nothing}
      ${parameter.description ? html`<span class="soft small">${parameter.description}</span>` : nothing}`;
    if (parameter.enum)
      return html`<label>${label}<select name=${name}>${parameter.enum.map(
        (each) => html`<option>${String(each)}</option>`,
      )}</select></label>`;
    const list = `seen-${name}`;
    return html`<label>${label}
      <input name=${name} ?required=${!optional} autocomplete="off" list=${list} placeholder=${typesOf(parameter).join(', ')} />
      <datalist id=${list}>${shown.map((each) => html`<option value=${each}></option>`)}</datalist>
    </label>`;
  }

  private choose = (event: Event) => {
    this.chosen = (event.target as HTMLSelectElement).value;
  };

  private act(event: Event, { name, parameters, optional = [] }: Tool): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const given = new FormData(form);
    const entries = Object.entries(parameters).flatMap(([key, parameter]): [string, Json][] => {
      const text = String(given.get(key) ?? '');
      return text === '' && optional.includes(key) ? [] : [[key, fieldValue(text, parameter)]];
    });
    const detail = `Action: ${name} with Action Input: ${JSON.stringify(Object.fromEntries(entries))}`;
    this.dispatchEvent(new CustomEvent('world-act', { detail, bubbles: true, composed: true }));
  }
}
