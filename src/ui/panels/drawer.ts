/** Drawer with the tabs RUNS, AGENTS, STORAGE, DEVICE and LOG. */
import { msg } from '@lit/localize';
import { html } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import './gpu-panel.ts';
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

@customElement('tabgym-drawer')
export class TabgymDrawer extends Panel {
  static override styles = [controls, tabStyles];

  @state() private agents: 'none' | 'loading' | 'ready' | 'failed' = 'none';

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

  /** Loads the code of the gallery when its tab is first opened; the element is drawn once it is defined. */
  private renderAgents() {
    if (this.agents === 'none') void this.loadAgents();
    if (this.agents === 'ready') return html`<tabgym-agents .app=${this.app}></tabgym-agents>`;
    if (this.agents !== 'failed') return loadingState(msg('Looking for agents'));
    return errorState(
      msg('The gallery of agents could not be loaded. Try again.'),
      html`<button @click=${() => this.loadAgents()}>${msg('Try again')}</button>`,
    );
  }

  private async loadAgents() {
    this.agents = 'loading';
    this.agents = await import('./agents.ts').then(
      () => 'ready' as const,
      () => 'failed' as const,
    );
  }

  private renderTab(drawer: DrawerTab) {
    if (drawer === 'runs') return html`<tabgym-runs .app=${this.app}></tabgym-runs>`;
    if (drawer === 'agents') return this.renderAgents();
    if (drawer === 'storage') return html`<tabgym-storage .app=${this.app}></tabgym-storage>`;
    if (drawer === 'gpu') return html`<tabgym-gpu .app=${this.app}></tabgym-gpu>`;
    return html`<tabgym-log .app=${this.app}></tabgym-log>`;
  }
}
