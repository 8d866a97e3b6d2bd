/** Help: the keys, from the table of shortcuts, and a short guide to the page. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, query } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { enableKeys, keyName, keysEnabled, shortcuts } from '../control/shortcuts.ts';
import { dialogStyles } from '../kit/styles/dialog.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-help')
export class TabgymHelp extends Panel {
  static override styles = [
    controls,
    dialogStyles,
    css`
      dialog {
        --dialog-width: 560px;
      }
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 4px 14px;
      }
      dt {
        display: flex;
        gap: 4px;
      }
    `,
  ];

  @query('dialog') private dialog!: HTMLDialogElement | null;

  constructor() {
    super(['help']);
  }

  override render() {
    if (!this.state.help) return nothing;
    return html`<dialog aria-labelledby="title" @close=${() => this.app.layout.showHelp(false)}>
      <div class="inner">
        <div class="row spread"><h2 id="title">${msg('Keys and help')}</h2><button class="quiet" aria-label=${msg('Close')} @click=${() => this.dialog?.close()}>✕</button></div>
        <p>${msg('Each step plays groups of episodes: several attempts at the same task. Actions of an attempt that did better than its group become more likely. A point on a curve is a step; open it to see its groups, their episodes, the turns, and every token.')}</p>
        <p>${msg('Success is always shown beside chance: a uniform choice among the same actions already solves some tasks.')}</p>
        <dl>${shortcuts().map((each) => html`<dt>${each.keys.map((key) => html`<kbd>${keyName(key)}</kbd>`)}</dt><dd>${each.label}</dd>`)}</dl>
        <label class="row"><input type="checkbox" .checked=${keysEnabled()} @change=${(event: Event) => enableKeys((event.target as HTMLInputElement).checked)} />${msg('Use single keys')}</label>
      </div>
    </dialog>`;
  }

  protected override updated() {
    if (this.dialog && !this.dialog.open) this.dialog.showModal();
  }
}
