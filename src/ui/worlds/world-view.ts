/** Draws a world's view with the module for its kind (`view-kinds.ts`). */
import { css, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { WorldView } from '../../envs/env.ts';
import type { GroupViews } from '../kit/view-kind.ts';
import { viewKind } from './view-kinds.ts';

@customElement('tabgym-world-view')
export class TabgymWorldView extends LitElement {
  static override styles = css`
    :host {
      display: block;
      container-type: inline-size;
    }
  `;

  @property({ attribute: false }) view: WorldView | null = null;
  /** Text that a person has typed for the next action; null if nobody plays. */
  @property({ attribute: false }) typed: string | null = null;
  /** Group of a stored episode; null for others. */
  @property({ attribute: false }) group: GroupViews | null = null;

  override render() {
    if (!this.view) return nothing;
    const kind = viewKind(this.view);
    void kind.load();
    return kind.render(this.view, this.typed, this.group);
  }
}
