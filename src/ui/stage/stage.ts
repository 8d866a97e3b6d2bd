/**
 * STAGE: the tabs that show what the agent does: watch it live, compare a group, read one trajectory, read files,
 * evaluate, play its world, or talk to its language model.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import './group.ts';
import { Panel } from '../control/panel.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { tabList } from '../kit/tabs.ts';
import { shownStep } from '../state/focus.ts';
import { type StageTab, showsEpisodes } from '../state/selection.ts';
import './trajectory.ts';
import './watch.ts';

const order: readonly StageTab[] = ['watch', 'group', 'trajectory', 'read', 'evaluate', 'play', 'talk'];

@customElement('tabgym-stage')
export class TabgymStage extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid !important;
        grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
        height: 100%;
      }
      :host(:focus) {
        outline: none;
      }
      .bar {
        display: flex;
        align-items: end;
        justify-content: space-between;
        gap: 4px 12px;
        flex-wrap: wrap;
        padding: 6px 12px 0;
        border-block-end: 1px solid var(--line);
      }
      [role='tablist'] {
        max-width: 100%;
        overflow-x: auto;
        display: flex;
        gap: 2px;
        max-width: 100%;
        overflow-x: auto;
      }
      [role='tab'] {
        border: 0;
        border-radius: var(--radius) var(--radius) 0 0;
        border-block-end: 2px solid transparent;
        background: none;
        padding: 6px 12px;
        color: var(--text-2);
      }
      [role='tab'][aria-selected='true'] {
        color: var(--text);
        font-weight: 650;
        border-color: var(--accent);
      }
      [role='tabpanel'] {
        min-height: 0;
        overflow: auto;
      }
      @media screen and (min-width: 1000px) {
        .lab {
          container-type: size;
        }
        /* A world's picture fits above the charts, together with its goal. */
        .lab > * {
          --view-height: clamp(200px, 100cqh - 110px, 560px);
        }
      }
      .place {
        padding-block-end: 4px;
        gap: 4px;
      }
      .place input {
        width: 64px;
      }
      .place button {
        min-width: 28px;
        padding: 0 6px;
      }
      @media (max-width: 500px) {
        .bar {
          padding-inline: 2px;
        }
        [role='tab'] {
          padding: 6px 5px;
        }
        [role='tablist'] {
          gap: 1px;
        }
      }
      @media print {
        :host {
          display: block !important;
          height: auto;
        }
        [role='tabpanel'] {
          overflow: visible;
        }
      }
      @media screen and (max-width: 860px) {
        :host-context([data-panel]:not([data-panel='stage'])) {
          display: none !important;
        }
      }
    `,
  ];

  /** Tabs whose code has been loaded. */
  @state() private loaded: ReadonlySet<StageTab> = new Set();
  /** Text of the step field while it is typed; a training run moves the step meanwhile. */
  @state() private typedStep: string | null = null;

  constructor() {
    super(['selection', 'records', 'run', 'status', 'arrangement']);
  }

  private typeStep = (event: Event) => {
    this.typedStep = (event.target as HTMLInputElement).value;
  };

  private endStep = () => {
    this.typedStep = null;
  };

  override render() {
    const { selection, arrangement } = this.state;
    const { tab } = selection;
    const labels: { [each in StageTab]: string } = {
      watch: msg('Watch'),
      group: msg('Group'),
      trajectory: msg('Trajectory'),
      read: msg('Read'),
      evaluate: msg('Evaluate'),
      play: msg('Play'),
      talk: msg('Talk'),
    };
    return html`
      <h2 class="visually-hidden">${msg('Stage')}</h2>
      <div class="bar">
        ${tabList(this, { label: msg('Stage'), order, labels, chosen: tab, choose: (each) => this.app.navigation.select({ tab: each }) })}
        ${this.renderPlace()}
      </div>
      <div role="tabpanel" id="panel" class=${arrangement} aria-labelledby=${`tab-${tab}`} tabindex=${tab === 'watch' ? 0 : nothing}>${this.renderTab(tab)}</div>
    `;
  }

  private renderTab(tab: StageTab) {
    const { app } = this;
    if (tab === 'watch') return html`<tabgym-watch .app=${app}></tabgym-watch>`;
    if (tab === 'group') return html`<tabgym-group .app=${app}></tabgym-group>`;
    if (tab === 'trajectory') return html`<tabgym-trajectory .app=${app}></tabgym-trajectory>`;
    if (!this.loaded.has(tab)) return this.renderLoading(tab);
    if (tab === 'read') return html`<tabgym-reader .app=${app}></tabgym-reader>`;
    if (tab === 'evaluate') return html`<tabgym-evaluate .app=${app}></tabgym-evaluate>`;
    if (tab === 'play') return html`<tabgym-play .app=${app}></tabgym-play>`;
    return html`<tabgym-talk .app=${app}></tabgym-talk>`;
  }

  /** Loads the code of a tab that most visits do not open. */
  private renderLoading(tab: 'read' | 'evaluate' | 'play' | 'talk') {
    const parts = {
      read: { load: () => import('../reader/reader.ts'), waiting: msg('Opening the reader') },
      evaluate: { load: () => import('./evaluate.ts'), waiting: msg('Reading the suites') },
      play: { load: () => import('./play.ts'), waiting: msg('Opening the world') },
      talk: { load: () => import('./talk.ts'), waiting: msg('Opening the conversation') },
    };
    void parts[tab].load().then(() => {
      this.loaded = new Set([...this.loaded, tab]);
    });
    return loadingState(parts[tab].waiting);
  }

  /** Step of the shown episodes, with buttons for the earlier, the later and the newest step. */
  private renderPlace() {
    const step = shownStep(this.state);
    const newest = this.state.records.at(-1)?.step ?? 0;
    if (step === null || newest < 1 || !showsEpisodes(this.state.selection.tab)) return nothing;
    const { navigation } = this.app;
    const go = (event: Event) => {
      const to = Number((event.target as HTMLInputElement).value) || newest;
      this.typedStep = null;
      navigation.select({ step: Math.max(1, Math.min(newest, to)) });
    };
    const following = this.state.selection.step === null;
    return html`<div class="row place">
      <button class="quiet" aria-label=${msg('Earlier step')} ?disabled=${step <= 1} @click=${() => navigation.moveStep(-1)}>‹</button>
      <label class="row" .style=${'gap:4px'}>${msg('Step')}
        <input class="number" inputmode="numeric" .value=${this.typedStep ?? String(step)} @input=${this.typeStep} @blur=${this.endStep} @change=${go} /></label>
      <span class="soft number">/ ${newest}</span>
      <button class="quiet" aria-label=${msg('Later step')} ?disabled=${step >= newest} @click=${() => navigation.moveStep(1)}>›</button>
      ${
        following
          ? html`<span class="badge">${msg('newest')}</span>`
          : step < newest
            ? html`<button class="link" @click=${() => navigation.select({ step: null, tab: 'group' })}>${msg(str`${newest - step} newer: follow`)}</button>`
            : nothing
      }
    </div>`;
  }
}
