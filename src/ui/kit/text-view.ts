/** View of a world that has no view of its own: its text, paragraph by paragraph. */
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { WorldView } from '../../envs/env.ts';

/** Paragraphs of a text, separated by empty lines. */
const paragraphs = (text: string) => text.split(/\n{2,}/);

@customElement('tabgym-text-view')
export class TabgymTextView extends LitElement {
  static override styles = css`
    :host {
      white-space: pre-wrap;
      overflow-wrap: anywhere;
      display: grid;
      gap: 8px;
      font-family: var(--mono);
      font-size: var(--size-s);
    }
    p {
      margin: 0;
    }
    .first {
      font-weight: 650;
    }
  `;

  @property({ attribute: false }) view: WorldView | null = null;

  override render() {
    if (!this.view) return nothing;
    return paragraphs(this.view.text).map((each, index) => html`<p class=${index === 0 ? 'first' : ''}>${each}</p>`);
  }
}
