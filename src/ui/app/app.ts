/**
 * Frame of the page: transport bar above; setup, stage, progress and drawer below it. On a wide screen these are
 * columns, on a narrow one a single panel is shown at a time. Owns the controller; draws nothing of a run itself.
 * Long because it joins all panels.
 */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { Controller } from '../control/controller.ts';
import '../panels/drawer.ts';
import '../panels/help.ts';
import './notices.ts';
import { Panel } from '../control/panel.ts';
import '../charts/progress.ts';
import '../panels/setup.ts';
import { isActive } from '../control/events.ts';
import { installShortcuts } from '../control/shortcuts.ts';
import { currentLocale } from '../kit/locale.ts';
import { type PaneName, progressPane } from '../state/panes.ts';
import { watchInteractions } from './interactions.ts';
import { lazyParts } from './lazy-parts.ts';
import { reportToSchool } from './school-report.ts';
import type { PaneResizeEvent } from './splitter.ts';
import './splitter.ts';
import '../panels/shared-note.ts';
import '../stage/stage.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import type { NarrowPanel } from '../state/state.ts';
import '../panels/transport.ts';
import '../simple/simple.ts';
import '../simple/simple-bar.ts';
import { keepAwake } from './wake-lock.ts';

/** Time for which the panel of a task is framed. */
const frameMs = 1500;

/**
 * Focus target in front of a panel: an element of its own, because Tab skips the contents of a host with a negative
 * tabindex.
 */
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
        /* Hidden texts are placed absolutely: they are clipped here, and do not lengthen the document. */
        position: relative;
        display: grid;
        grid-template: minmax(0, 1fr) / auto auto minmax(0, 1fr) auto auto auto auto;
        min-height: 0;
        overflow: hidden;
      }
      .place {
        position: absolute;
        outline: none;
      }
      tabgym-splitter[pane='setup'] {
        grid-column: 2;
      }
      .centre {
        grid-column: 3;
        display: grid;
        grid-template-rows: minmax(0, 1fr) auto var(--progress);
        min-height: 0;
        min-width: 0;
      }
      tabgym-setup {
        width: var(--setup);
        grid-column: 1;
        background: var(--surface);
        min-height: 0;
        overflow: auto;
      }
      tabgym-stage {
        min-height: 0;
        overflow: hidden;
      }
      tabgym-progress {
        background: var(--surface);
        min-height: 0;
        overflow: auto;
      }
      .middle {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        min-width: 0;
      }
      tabgym-learn,
      .learn {
        background: var(--surface);
        width: var(--learn);
        min-height: 0;
        overflow: auto;
      }
      tabgym-drawer {
        background: var(--surface);
        width: var(--drawer);
        min-height: 0;
        overflow: auto;
      }
      [data-target='setup'] tabgym-setup,
      [data-target='stage'] tabgym-stage,
      [data-target='progress'] tabgym-progress {
        outline: 2px solid var(--accent);
        outline-offset: -2px;
        animation: lit 1.4s ease-in-out 3;
      }
      @keyframes lit {
        50% {
          outline-color: transparent;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        [data-target] > * {
          animation: none !important;
        }
      }
      nav {
        display: none;
      }
      .simple {
        display: grid;
        grid-template: minmax(0, 1fr) / minmax(0, 1fr);
        min-height: 0;
      }
      .waiting {
        min-height: 0;
        overflow: auto;
      }
      @media (max-width: 1180px) {
        tabgym-drawer {
          position: fixed;
          inset: 53px 0 0 auto;
          z-index: 5;
          box-shadow: var(--shadow-high);
        }
        tabgym-splitter[pane='drawer'] {
          display: none;
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
        .middle {
          display: contents;
        }
        tabgym-setup,
        tabgym-stage,
        tabgym-progress,
        tabgym-learn,
        .learn,
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
        [data-panel='learn'] .learn,
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

  @state() private learns: 'none' | 'loading' | 'ready' | 'failed' = 'none';
  private uninstall: (() => void) | null = null;

  constructor() {
    super([
      'phase',
      'arrangement',
      'lesson',
      'lessonsReady',
      'progressOfLessons',
      'drawer',
      'learn',
      'panel',
      'help',
      'announcement',
      'notices',
      'panes',
      'selection',
      'link',
      'sharing',
      'compared',
      'locale',
      'sweep',
      'wholeSweep',
    ]);
    this.app = new Controller(lazyParts);
    this.app.store.set({ locale: currentLocale() });
  }

  override connectedCallback() {
    super.connectedCallback();
    reportToSchool(this.app);
    this.uninstall = installShortcuts(this.app);
    keepAwake(this.app.store);
    const isTraining = () => isActive(this.app.store.state.status);
    watchInteractions(isTraining, () => void this.app.giveBackThread());
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => this.drop(event));
    addEventListener('lit-localize-status', () => this.app.store.set({ locale: currentLocale() }));
    void this.app.start(location.search); // not a kind: the address's query
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.uninstall?.();
  }

  private drop(event: DragEvent) {
    event.preventDefault();
    void this.app.fileDrop.drop(event.dataTransfer);
  }

  override render() {
    // A change of language redraws everything, since charts and dialogs contain texts too.
    return keyed(this.state.locale, this.renderPage());
  }

  private renderPage() {
    const { phase, panel, announcement, sharing } = this.state;
    const simple = this.isSimple && phase !== 'broken' && !this.state.learn && !this.state.drawer;
    return html`
      ${this.renderBar()}
      ${simple ? this.renderSimple() : phase === 'ready' ? this.renderBody(panel) : this.renderWaiting()}
      <tabgym-notices .app=${this.app}></tabgym-notices>
      <tabgym-help .app=${this.app}></tabgym-help>
      ${sharing ? this.renderShare() : nothing}
      ${this.state.compared ? html`<tabgym-compare .app=${this.app}></tabgym-compare>` : nothing}
      <div class="visually-hidden" role="status" aria-live="polite">${announcement}</div>
    `;
  }

  private get isSimple() {
    return this.state.arrangement === 'simple';
  }

  private renderBar() {
    return this.isSimple
      ? html`<tabgym-simple-bar .app=${this.app} @skip=${this.skip}></tabgym-simple-bar>`
      : html`<tabgym-transport .app=${this.app} @skip=${this.skip}></tabgym-transport>`;
  }

  private renderSimple() {
    return html`<main class="simple">${place('stage')}<tabgym-simple .app=${this.app}></tabgym-simple></main>`;
  }

  private renderShare() {
    return html`<tabgym-share .app=${this.app}></tabgym-share>`;
  }

  /** True if the setup is hidden: in the simple arrangement, and in a lesson whose current task is elsewhere. */
  private get lessonHidesSetup() {
    const { learn, panel, arrangement } = this.state;
    if (arrangement === 'simple') return true;
    return learn === 'lessons' && this.app.lessons.opened !== null && panel !== 'setup' && this.target !== 'setup';
  }

  /** Panel of the open lesson's current task, which is lit. */
  private get target(): NarrowPanel | null {
    const { lessons } = this.app;
    const task = this.state.learn && lessons.opened ? lessons.current(lessons.opened) : null;
    return task?.where?.panel ?? null;
  }

  protected override hides(control: string): boolean {
    return (control === 'setup' && this.lessonHidesSetup) || super.hides(control);
  }

  private splitter(pane: PaneName, grows: 1 | -1, label: string, horizontal = false) {
    return html`<tabgym-splitter pane=${pane} .grows=${grows} .horizontal=${horizontal} .size=${this.state.panes[pane]} .label=${label}></tabgym-splitter>`;
  }

  private renderWaiting() {
    const { phase, broken } = this.state;
    const reload = html`<button class="primary" @click=${() => location.reload()}>${msg('Reload the page')}</button>`;
    if (phase === 'broken') return html`<main>${errorState(broken, reload)}</main>`;
    const what = msg('Looking for a device and testing its kernels');
    return html`<main class="waiting"><tabgym-welcome .app=${this.app} .waits=${what}></tabgym-welcome></main>`;
  }

  private renderBody(panel: NarrowPanel) {
    return html`
      <main class="body" data-panel=${panel} data-target=${this.target ?? nothing} .style=${this.sizes()} @pane-resize=${(event: PaneResizeEvent) => this.app.layout.resize(event.pane, event.size)}>
        ${
          this.hides('setup')
            ? nothing
            : html`${place('setup')}<tabgym-setup .app=${this.app} role="region" aria-label=${msg('Setup')}></tabgym-setup>
                ${this.splitter('setup', 1, msg('Width of the setup'))}`
        }
        ${this.renderCentre()}
        ${this.state.learn && !this.hides('learn') ? this.renderLearn() : nothing}
        ${
          this.state.drawer
            ? html`${this.splitter('drawer', -1, msg('Width of the drawer'))}<tabgym-drawer .app=${this.app} role="region" aria-label=${msg('Drawer')}></tabgym-drawer>`
            : nothing
        }
      </main>
      ${this.renderNav(panel)}
    `;
  }

  private renderLearn() {
    return html`${this.splitter('learn', -1, msg('Width of Learn'))}${place('learn')}${
      this.learns === 'ready'
        ? html`<tabgym-learn .app=${this.app} @go-to-panel=${this.goToPanel} role="region" aria-label=${msg('Learn')}></tabgym-learn>`
        : html`<div class="learn">${this.renderWithoutLearn()}</div>`
    }`;
  }

  /** Loads the code of cards and lessons when Learn is first opened. */
  private renderWithoutLearn() {
    if (this.learns === 'none') void this.loadLearn();
    if (this.learns !== 'failed') return loadingState(msg('Opening Learn'));
    const again = html`<button @click=${() => this.loadLearn()}>${msg('Try again')}</button>`;
    return errorState(msg('Cards and lessons could not be loaded. Try again.'), again);
  }

  private async loadLearn() {
    this.learns = 'loading';
    this.learns = await import('../learn/learn.ts').then(
      () => 'ready' as const,
      () => 'failed' as const,
    );
  }

  /** Sizes of the panes as custom properties; a hidden pane takes no space. */
  private sizes() {
    const { panes } = this.state;
    const setup = this.hides('setup') ? 0 : panes.setup;
    const progress = this.hides('progress') ? 0 : panes[this.progressPane];
    return `--setup:${setup}px;--learn:${panes.learn}px;--drawer:${panes.drawer}px;--progress:min(${progress}px, 60vh)`;
  }

  private get progressPane(): PaneName {
    const { selection, sweep, wholeSweep } = this.state;
    return progressPane(selection.tab, sweep !== null && wholeSweep);
  }

  private renderCentre() {
    const pane = this.progressPane;
    return html`<div class="centre">
      <div class="middle"><tabgym-shared-note .app=${this.app}></tabgym-shared-note>
        ${place('stage')}<tabgym-stage .app=${this.app} role="region" aria-label=${msg('Stage')}></tabgym-stage></div>
      ${
        this.hides('progress')
          ? nothing
          : html`${this.splitter(pane, -1, msg('Height of the curves'), true)}
              ${place('progress')}<tabgym-progress .app=${this.app} role="region" aria-label=${msg('Progress')}></tabgym-progress>`
      }
    </div>`;
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
      ${items
        .filter(([id]) => !this.hides(id))
        .map(
          ([id, label]) =>
            html`<button data-go=${id} aria-current=${panel === id ? 'true' : 'false'} @click=${() => this.app.layout.showPanel(id)}>${label}</button>`,
        )}
    </nav>`;
  }

  /** Moves the keyboard focus to the panel where the reader's next action is. */
  private goToPanel = ({ detail }: CustomEvent<NarrowPanel>) => this.focusOn(detail);

  private async focusOn(panel: NarrowPanel) {
    await this.updateComplete;
    const place = this.renderRoot.querySelector<HTMLElement>(`[data-place="${panel}"]`);
    place?.focus();
    // A frame shows for a moment where the focus went, even if the panel was in view already.
    const frame = { outline: '4px solid var(--accent)', outlineOffset: '-4px' };
    place?.nextElementSibling?.animate([frame, frame], frameMs);
  }

  private skip() {
    this.app.layout.showPanel('stage');
    void this.focusOn('stage');
  }
}
