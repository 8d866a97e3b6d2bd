/** LOG: all notices since the page was opened, newest first. */
import { msg } from '@lit/localize';
import { css, html } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';

@customElement('tabgym-log')
export class TabgymLog extends Panel {
  static override styles = [
    controls,
    css`
      ol {
        list-style: none;
        display: grid;
        gap: 6px;
      }
      li {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super(['notices']);
  }

  override render() {
    const { notices } = this.state;
    if (!notices.length) return html`<p class="soft">${msg('No notices since the page was opened.')}</p>`;
    return html`<ol>${[...notices]
      .reverse()
      .map(
        (notice) =>
          html`<li class="message ${notice.level}"><div class="row small soft"><time>${new Date(notice.at).toLocaleTimeString()}</time> ${
            { info: msg('note'), warning: msg('warning'), error: msg('error') }[notice.level]
          }</div>${notice.message}</li>`,
      )}</ol>`;
  }
}
