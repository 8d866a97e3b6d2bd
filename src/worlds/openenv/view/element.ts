/**
 * View of an OpenEnv world: its text, and a form if an action has several fields. The form's values are sent as JSON.
 */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import { type ActionField, ActionTextError, valueFrom } from '../schema.ts';
import type { OpenEnvView } from '../view-data.ts';

@customElement('tabgym-openenv-view')
export class TabgymOpenEnvView extends LocalizedElement {
  static override styles = [
    controls,
    css`
      pre {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        font-family: var(--mono);
        font-size: var(--size-s);
        background: var(--surface-2);
        border-radius: var(--radius);
        padding: 8px;
        max-height: 360px;
        overflow: auto;
      }
      form {
        display: grid;
        gap: 6px;
        margin-block-start: 8px;
      }
      label {
        display: grid;
        gap: 2px;
      }
    `,
  ];

  @property({ attribute: false }) view: OpenEnvView | null = null;
  /** True if a person plays; a view that only shows an episode has no form. */
  @property({ type: Boolean }) playable = false;
  @state() private problem = '';

  override render() {
    const { text = '', fields = [], done = false } = this.view ?? {};
    return html`<pre tabindex="0" role="region" aria-label=${msg('Observation of the world')}>${text}</pre>
      ${this.playable && fields.length && !done ? this.renderForm(fields) : nothing}`;
  }

  private renderForm(fields: readonly ActionField[]) {
    return html`<form @submit=${this.act}>
      <h3>${msg('Action')}</h3>
      ${fields.map(
        (
          field,
        ) => html`<label>${field.name}${field.required ? '' : html` <span class="soft small">${msg('optional')}</span>`}
          ${field.description ? html`<span class="soft small">${field.description}</span>` : nothing}
          ${this.renderField(field)}</label>`,
      )}
      ${this.problem ? html`<p class="message error" role="alert">${this.problem}</p>` : nothing}
      <div class="row"><button class="primary">${msg('Send the action')}</button></div>
    </form>`;
  }

  private renderField({ name, type, choices, required, fallback }: ActionField) {
    const options = type === 'boolean' ? ['true', 'false'] : choices.map(String);
    const usual = fallback === undefined || fallback === null ? '' : String(fallback);
    if (options.length)
      return html`<select name=${name}>${required ? nothing : html`<option value=""></option>`}
        ${options.map((each) => html`<option ?selected=${each === usual}>${each}</option>`)}</select>`;
    const placeholder = type === 'string' ? usual : type;
    return html`<input name=${name} ?required=${required} autocomplete="off" inputmode=${/integer|number/.test(type) ? 'decimal' : 'text'} placeholder=${placeholder} />`;
  }

  private act = (event: Event) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    try {
      const entries = this.view!.fields.flatMap((field) => {
        const text = String(given.get(field.name) ?? '');
        return text === '' && !field.required ? [] : [[field.name, fieldValue(text, field)]];
      });
      this.problem = '';
      const detail = JSON.stringify(Object.fromEntries(entries));
      this.dispatchEvent(new CustomEvent('world-act', { detail, bubbles: true, composed: true }));
    } catch (error) {
      if (!(error instanceof ActionTextError)) throw error;
      this.problem = error.message;
    }
  };
}

/** Converts a form value. Objects and lists are typed as JSON. */
function fieldValue(text: string, field: ActionField) {
  if (!['object', 'array', 'any'].includes(field.type)) return valueFrom(text, field);
  try {
    return JSON.parse(text);
  } catch {
    if (field.type === 'any') return text;
    throw new ActionTextError(`"${field.name}" must be JSON.`);
  }
}
