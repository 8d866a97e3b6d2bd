/** Bar of the simple arrangement: settings, lessons, the way to the lab, and the page's own buttons. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import type { Shell } from '../control/shell.ts';
import { controls } from '../kit/styles/shared.ts';
import { brand, helpButton, languageSelect, themeButton } from '../panels/page-buttons.ts';

@customElement('tabgym-simple-bar')
export class TabgymSimpleBar extends Panel<Pick<Shell, 'store' | 'layout'>> {
  static override styles = [
    controls,
    css`
      header {
        display: flex;
        align-items: center;
        gap: 4px 6px;
        min-height: 53px;
        padding: 6px 16px;
        background: var(--surface);
        border-block-end: 1px solid var(--line);
      }
      h1 {
        margin: 0 auto 0 0;
        font-size: var(--size-xl);
        font-weight: 700;
        letter-spacing: -0.02em;
      }
      h1 svg {
        width: 20px;
        height: 20px;
        vertical-align: -4px;
        margin-inline-end: 6px;
      }
      .skip {
        position: absolute;
        inset-inline-start: 8px;
        top: -60px;
        z-index: 10;
      }
      .skip:focus-visible {
        top: 8px;
      }
      .language {
        min-height: 28px;
        max-width: 92px;
        padding: 2px 4px;
        border-color: transparent;
        background: none;
        font-size: var(--size-s);
      }
      @media (max-width: 500px) {
        header {
          flex-wrap: wrap;
          justify-content: end;
          gap: 2px;
          padding-inline: 10px;
        }
        h1 span {
          position: absolute;
          clip-path: inset(50%);
        }
        button {
          padding-inline: 6px;
        }
        .language {
          max-width: 90px;
        }
      }
    `,
  ];

  constructor() {
    super(['phase', 'settings', 'learn', 'theme', 'link']);
  }

  override render() {
    const { phase, settings, learn } = this.state;
    const { layout } = this.app;
    const off = phase !== 'ready';
    const toggle = (label: string, open: boolean, act: () => void) =>
      html`<button class="quiet" ?disabled=${off} aria-expanded=${open ? 'true' : 'false'} @click=${act}>${label}</button>`;
    return html`<header>
      <button class="skip" @click=${() => this.dispatchEvent(new Event('skip'))}>${msg('Skip to the stage')}</button>
      ${brand()}
      ${this.hides('setup') || learn ? nothing : toggle(msg('Settings'), settings, () => layout.showSettings(!settings))}
      ${this.hides('learn') ? nothing : toggle(msg('Lessons'), learn !== null, () => layout.openLearn(learn ? null : 'lessons'))}
      <button class="quiet" title=${msg('Every panel: setup, groups, trajectories, all curves, runs')} @click=${() => layout.arrange('lab')}>${msg('Lab')}</button>
      ${languageSelect()} ${themeButton(this.app)} ${helpButton(this.app)}
    </header>`;
  }
}
