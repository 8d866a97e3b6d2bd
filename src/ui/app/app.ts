/**
 * The page's frame: transport bar above; setup, stage, progress and drawer below, as columns where there is room and as
 * one panel at a time where there is not. Owns the controller; draws nothing of a run itself.
 */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { Controller } from './controller.ts';
import '../panels/drawer.ts';
import '../panels/help.ts';
import './notices.ts';
import { Panel } from './panel.ts';
import '../charts/progress.ts';
import '../panels/setup.ts';
import { isActive } from './events.ts';
import { watchInteractions } from './interactions.ts';
import { installShortcuts } from './shortcuts.ts';
import '../stage/stage.ts';
import { errorState, loadingState } from '../panels/states.ts';
import type { NarrowPanel } from '../state/state.ts';
import { controls } from '../styles/shared.ts';
import '../panels/transport.ts';
import { keepAwake } from './wake-lock.ts';

/** Where the keyboard is put to go on with a panel. Beside it: what a host with a negative tabindex holds, Tab passes over. */
const place = (panel: NarrowPanel) => html`<span class="place" data-place=${panel} tabindex="-1"></span>`;

@customElement('tabgym-app')
export class TabgymApp extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
        height: 100vh;
        height: 100dvh;
      }
      .body {
        display: grid;
        grid-template: minmax(0, 1fr) / 306px minmax(0, 1fr) auto auto;
        min-height: 0;
        overflow: hidden;
      }
      .place {
        position: absolute;
        outline: none;
      }
      .centre {
        display: grid;
        grid-template-rows: minmax(0, 1fr) auto;
        min-height: 0;
        min-width: 0;
      }
      tabgym-setup {
        border-inline-end: 1px solid var(--line);
        background: var(--surface);
        min-height: 0;
        overflow: auto;
      }
      tabgym-stage {
        min-height: 0;
        overflow: hidden;
      }
      tabgym-progress {
        border-block-start: 1px solid var(--line);
        background: var(--surface);
        height: min(318px, 44vh);
        overflow: auto;
      }
      tabgym-progress[data-sweep] {
        height: min(450px, 54vh);
      }
      tabgym-learn {
        border-inline-start: 1px solid var(--line);
        background: var(--surface);
        width: 372px;
        min-height: 0;
        overflow: auto;
      }
      tabgym-drawer {
        border-inline-start: 1px solid var(--line);
        background: var(--surface);
        width: 400px;
        min-height: 0;
        overflow: auto;
      }
      nav {
        display: none;
      }
      @media (max-width: 1180px) {
        tabgym-drawer {
          position: fixed;
          inset: 53px 0 0 auto;
          z-index: 5;
          box-shadow: var(--shadow-high);
        }
      }
      @media (max-width: 860px) {
        :host {
          grid-template-rows: auto minmax(0, 1fr) auto;
        }
        .body {
          display: block;
          overflow: auto;
        }
        .centre {
          display: block;
          height: 100%;
        }
        tabgym-setup,
        tabgym-stage,
        tabgym-progress,
        tabgym-learn,
        tabgym-drawer {
          display: none;
          position: static;
          width: auto;
          height: 100%;
          border: 0;
          box-shadow: none;
        }
        [data-panel='setup'] tabgym-setup,
        [data-panel='stage'] tabgym-stage,
        [data-panel='progress'] tabgym-progress,
        [data-panel='learn'] tabgym-learn,
        [data-panel='drawer'] tabgym-drawer {
          display: block;
        }
        [data-panel='setup'] .centre,
        [data-panel='learn'] .centre,
        [data-panel='drawer'] .centre {
          display: none;
        }
        nav {
          display: grid;
          grid-template-columns: repeat(5, 1fr);
          border-block-start: 1px solid var(--line);
          background: var(--surface);
          padding-bottom: env(safe-area-inset-bottom);
        }
        nav button {
          min-height: 46px;
          border: 0;
          border-radius: 0;
          border-block-start: 3px solid transparent;
          background: none;
        }
        nav button[aria-current='true'] {
          color: var(--accent);
          border-color: var(--accent);
          font-weight: 650;
        }
      }
    `,
  ];

  @state() private learns = false;
  private uninstall: (() => void) | null = null;

  constructor() {
    super(['phase', 'drawer', 'learn', 'panel', 'help', 'announcement', 'notices']);
    this.app = new Controller();
  }

  override connectedCallback() {
    super.connectedCallback();
    this.uninstall = installShortcuts(this.app);
    keepAwake(this.app.store);
    const isTraining = () => isActive(this.app.store.state.status);
    watchInteractions(isTraining, () => void this.app.giveBackThread());
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => this.drop(event));
    void this.app.start(location.search); // not a kind: the address's query
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.uninstall?.();
  }

  private drop(event: DragEvent) {
    event.preventDefault();
    void this.app.dropping.drop(event.dataTransfer);
  }

  override render() {
    const { phase, panel, announcement } = this.state;
    return html`
      <tabgym-transport .app=${this.app} @skip=${this.skip}></tabgym-transport>
      ${phase === 'ready' ? this.renderBody(panel) : this.renderWaiting()}
      <tabgym-notices .app=${this.app}></tabgym-notices>
      <tabgym-help .app=${this.app}></tabgym-help>
      <div class="visually-hidden" role="status" aria-live="polite">${announcement}</div>
    `;
  }

  private renderWaiting() {
    const { phase, broken } = this.state;
    const reload = html`<button class="primary" @click=${() => location.reload()}>${msg('Reload the page')}</button>`;
    return html`<main>${phase === 'starting' ? loadingState(msg('Looking for a device and testing its kernels')) : errorState(broken, reload)}</main>`;
  }

  private renderBody(panel: NarrowPanel) {
    return html`
      <main class="body" data-panel=${panel}>
        ${place('setup')}<tabgym-setup .app=${this.app} role="region" aria-label=${msg('Setup')}></tabgym-setup>
        <div class="centre">
          ${place('stage')}<tabgym-stage .app=${this.app} role="region" aria-label=${msg('Stage')}></tabgym-stage>
          ${place('progress')}<tabgym-progress .app=${this.app} role="region" aria-label=${msg('Progress')}></tabgym-progress>
        </div>
        ${this.state.learn ? this.renderLearn() : nothing}
        ${
          this.state.drawer
            ? html`<tabgym-drawer .app=${this.app} role="region" aria-label=${msg('Drawer')}></tabgym-drawer>`
            : nothing
        }
      </main>
      ${this.renderNav(panel)}
    `;
  }

  /** Cards and lessons come when they are opened. */
  private renderLearn() {
    if (!this.learns) {
      void import('../learn/learn.ts').then(() => {
        this.learns = true;
      });
      return nothing;
    }
    return html`${place('learn')}<tabgym-learn .app=${this.app} @go-to-panel=${this.goToPanel} role="region" aria-label=${msg('Learn')}></tabgym-learn>`;
  }

  private renderNav(panel: NarrowPanel) {
    const items: [NarrowPanel, string][] = [
      ['setup', msg('Setup')],
      ['stage', msg('Stage')],
      ['progress', msg('Progress')],
      ['learn', msg('Learn')],
      ['drawer', msg('More')],
    ];
    return html`<nav aria-label=${msg('Panels')}>
      ${items.map(
        ([id, label]) =>
          html`<button aria-current=${panel === id ? 'true' : 'false'} @click=${() => this.app.layout.showPanel(id)}>${label}</button>`,
      )}
    </nav>`;
  }

  /** The keyboard follows to where something is to be done. */
  private goToPanel = ({ detail }: CustomEvent<NarrowPanel>) => this.focusOn(detail);

  private async focusOn(panel: NarrowPanel) {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`[data-place="${panel}"]`)?.focus();
  }

  private skip() {
    this.app.layout.showPanel('stage');
    void this.focusOn('stage');
  }
}
