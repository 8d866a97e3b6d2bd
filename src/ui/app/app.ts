/**
 * Frame of the page: transport bar above; setup, stage, progress and drawer below it. On a wide screen these are
 * columns, on a narrow one a single panel is shown at a time. Draws nothing of a run itself. Shows the recorded episode
 * of a first visit, and then loads the rest of the page (`whole-page.ts`). Long because it joins all panels.
 */
import { msg } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { Controller } from '../control/controller.ts';
import { Panel } from '../control/panel.ts';
import { Shell } from '../control/shell.ts';
import { currentLocale } from '../kit/locale.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import '../simple/simple.ts';
import '../simple/simple-bar.ts';
import { type PaneName, progressPane } from '../state/panes.ts';
import type { NarrowPanel } from '../state/state.ts';
import { appStyles } from './app-styles.ts';
import { firstPicture } from './first-picture.ts';
import { lazyParts } from './lazy-parts.ts';
import type { PaneResizeEvent } from './splitter.ts';
import type { WholePage } from './whole-page.ts';

/** Time for which the panel of a task is framed. */
const frameMs = 1500;

/**
 * Focus target in front of a panel: an element of its own, because Tab skips the contents of a host with a negative
 * tabindex.
 */
const place = (panel: NarrowPanel) => html`<span class="place" data-place=${panel} tabindex="-1"></span>`;

@customElement('tabgym-app')
export class TabgymApp extends Panel<Shell | Controller> {
  static override styles = [controls, appStyles];

  @state() private learns: 'none' | 'loading' | 'ready' | 'failed' = 'none';
  private readonly shell = new Shell(lazyParts);
  /** Null until the rest of the page is loaded. */
  @state() private whole: WholePage | null = null;

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
    this.app = this.shell;
    this.app.store.set({ locale: currentLocale() });
  }

  override connectedCallback() {
    super.connectedCallback();
    this.addEventListener('dragover', (event) => event.preventDefault());
    this.addEventListener('drop', (event) => this.drop(event));
    addEventListener('lit-localize-status', () => this.app.store.set({ locale: currentLocale() }));
    void this.open();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.whole?.close();
  }

  private async open() {
    await firstPicture(this.shell);
    try {
      const { openWholePage } = await import('./whole-page.ts');
      this.whole = openWholePage(this.shell);
      this.app = this.whole.controller;
    } catch {
      this.app.store.set({ phase: 'broken', broken: msg('The page could not be loaded completely. Reload it.') });
    }
  }

  private drop(event: DragEvent) {
    event.preventDefault();
    void this.whole?.controller.fileDrop.drop(event.dataTransfer);
  }

  override render() {
    // A change of language redraws everything, since charts and dialogs contain texts too.
    return keyed(this.state.locale, this.renderPage());
  }

  private renderPage() {
    const { phase, announcement } = this.state;
    const simple = this.isSimple && phase !== 'broken';
    return html`
      ${this.renderBar()}
      ${simple ? this.renderSimple() : this.renderLab()}
      ${this.whole ? this.renderDialogs() : nothing}
      <div class="visually-hidden" role="status" aria-live="polite">${announcement}</div>
    `;
  }

  private renderLab() {
    const { phase, panel } = this.state;
    if (phase === 'broken') return this.renderBroken();
    if (!this.whole) return nothing;
    return phase === 'ready' ? this.renderBody(panel) : this.renderWaiting();
  }

  private renderDialogs() {
    const { sharing, compared } = this.state;
    return html`
      <tabgym-notices .app=${this.app}></tabgym-notices>
      <tabgym-help .app=${this.app}></tabgym-help>
      ${sharing ? html`<tabgym-share .app=${this.app}></tabgym-share>` : nothing}
      ${compared ? html`<tabgym-compare .app=${this.app}></tabgym-compare>` : nothing}
    `;
  }

  /** True for the simple arrangement alone; lessons and the drawer open in the lab's frame, with its bar. */
  private get isSimple() {
    const { arrangement, learn, drawer } = this.state;
    return arrangement === 'simple' && !learn && !drawer;
  }

  private renderBar() {
    if (this.isSimple) return html`<tabgym-simple-bar .app=${this.app} @skip=${this.skip}></tabgym-simple-bar>`;
    return this.whole ? html`<tabgym-transport .app=${this.app} @skip=${this.skip}></tabgym-transport>` : nothing;
  }

  private renderSimple() {
    return html`<main class="simple">${place('stage')}<tabgym-simple .app=${this.app} .makeStory=${this.whole?.makeStory ?? null}></tabgym-simple></main>`;
  }

  /** True if the setup is hidden: in a lesson whose current task is elsewhere, else in the simple arrangement. */
  private get lessonHidesSetup() {
    const { learn, panel, arrangement } = this.state;
    const inLesson = learn === 'lessons' && this.whole?.controller.lessons.opened != null;
    return inLesson ? panel !== 'setup' && this.target !== 'setup' : arrangement === 'simple';
  }

  /** Panel of the open lesson's current task, which is lit. */
  private get target(): NarrowPanel | null {
    const lessons = this.whole?.controller.lessons;
    const task = this.state.learn && lessons?.opened ? lessons.current(lessons.opened) : null;
    return task?.where?.panel ?? null;
  }

  protected override hides(control: string): boolean {
    return (control === 'setup' && this.lessonHidesSetup) || super.hides(control);
  }

  private splitter(pane: PaneName, grows: 1 | -1, label: string, horizontal = false) {
    return html`<tabgym-splitter pane=${pane} .grows=${grows} .horizontal=${horizontal} .size=${this.state.panes[pane]} .label=${label}></tabgym-splitter>`;
  }

  private renderBroken() {
    const reload = html`<button class="primary" @click=${() => location.reload()}>${msg('Reload the page')}</button>`;
    return html`<main>${errorState(this.state.broken, reload)}</main>`;
  }

  private renderWaiting() {
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
