/** Drawer with the tabs RUNS, AGENTS, STORAGE, DEVICE and LOG. */
import { msg } from '@lit/localize';
import { html, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import './log-panel.ts';
import { Panel } from '../control/panel.ts';
import './runs.ts';
import { errorState, loadingState } from '../kit/states.ts';
import type { DrawerTab } from '../state/state.ts';
import './storage-panel.ts';
import { controls } from '../kit/styles/shared.ts';
import { tabStyles } from '../kit/styles/tabs.ts';
import { tabList } from '../kit/tabs.ts';

const order: readonly DrawerTab[] = ['runs', 'agents', 'storage', 'gpu', 'log'];

/** Tabs whose code is loaded when they are first opened. */
const later = { agents: () => import('./agents.ts'), gpu: () => import('./gpu-panel.ts') };
type LaterTab = keyof typeof later;

@customElement('tabgym-drawer')
export class TabgymDrawer extends Panel {
  static override styles = [controls, tabStyles];

  @state() private loads: { readonly [tab in LaterTab]?: 'loading' | 'ready' | 'failed' } = {};

  constructor() {
    super(['drawer']);
  }

  override render() {
    const drawer = this.state.drawer ?? 'runs';
    const labels: { [tab in DrawerTab]: string } = {
      runs: msg('Runs'),
      agents: msg('Agents'),
      storage: msg('Storage'),
      gpu: msg('Device'),
      log: msg('Log'),
    };
    return html`<div class="bar">
        ${tabList(this, { label: msg('Drawer'), order, labels, chosen: drawer, choose: (tab) => void this.app.layout.openDrawer(tab) })}
        <button class="quiet" aria-label=${msg('Close the drawer')} @click=${() => this.app.layout.openDrawer(null)}>✕</button>
      </div>
      <div role="tabpanel" id="panel" aria-labelledby=${`tab-${drawer}`}>${this.renderTab(drawer)}</div>`;
  }

  /** Loads the code of a tab when it is first opened; the element is drawn once it is defined. */
  private renderLater(tab: LaterTab, element: TemplateResult) {
    const { [tab]: state } = this.loads;
    if (!state) void this.load(tab);
    if (state === 'ready') return element;
    if (state !== 'failed')
      return loadingState(tab === 'agents' ? msg('Looking for agents') : msg('Reading the device’s counters'));
    return errorState(
      tab === 'agents'
        ? msg('The gallery of agents could not be loaded. Try again.')
        : msg('The panel of the device could not be loaded. Try again.'),
      html`<button @click=${() => this.load(tab)}>${msg('Try again')}</button>`,
    );
  }

  private async load(tab: LaterTab) {
    this.loads = { ...this.loads, [tab]: 'loading' };
    const state = await later[tab]().then(
      () => 'ready' as const,
      () => 'failed' as const,
    );
    this.loads = { ...this.loads, [tab]: state };
  }

  private renderTab(drawer: DrawerTab) {
    if (drawer === 'runs') return html`<tabgym-runs .app=${this.app}></tabgym-runs>`;
    if (drawer === 'agents') return this.renderLater(drawer, html`<tabgym-agents .app=${this.app}></tabgym-agents>`);
    if (drawer === 'storage') return html`<tabgym-storage .app=${this.app}></tabgym-storage>`;
    if (drawer === 'gpu') return this.renderLater(drawer, html`<tabgym-gpu .app=${this.app}></tabgym-gpu>`);
    return html`<tabgym-log .app=${this.app}></tabgym-log>`;
  }
}
