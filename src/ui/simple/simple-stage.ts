/**
 * Stage of the simple arrangement: the world as large as the pane, and the newest turn of the try in one line. Shows a
 * recorded try until the agent plays.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { isActive, type LiveTurn } from '../../session/protocol.ts';
import type { Navigation } from '../control/navigation.ts';
import { Panel } from '../control/panel.ts';
import type { Shell } from '../control/shell.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { moveText } from '../state/move-text.ts';
import { plainProgressText, progressBar } from '../state/work-progress.ts';
import '../worlds/world-view.ts';
import { simpleStageStyles } from './styles.ts';

/** The shell, and later the controller. */
type Control = Pick<Shell, 'store'> & { readonly navigation?: Pick<Navigation, 'lookCloser'> };

@customElement('tabgym-simple-stage')
export class TabgymSimpleStage extends Panel<Control> {
  static override styles = [controls, simpleStageStyles];

  constructor() {
    super(['live', 'recorded', 'run', 'status', 'progress', 'watching', 'records', 'phase']);
  }

  override render() {
    const last = this.state.live.at(-1);
    return html`<h2 class="visually-hidden">${msg('Stage')}</h2><div class="head row spread"><span class="row">${this.renderLabel(last)}</span>${this.renderCloser()}</div>
      <div class="world">${last ? html`<tabgym-world-view .view=${last.view}></tabgym-world-view>` : this.renderQuiet()}</div>
      ${last ? this.renderTurn(last) : nothing}`;
  }

  private renderLabel(last: LiveTurn | undefined) {
    const { recorded, status, watching } = this.state;
    if (!last) return nothing;
    if (recorded?.title)
      return html`<span class="badge">${msg('Recorded')}</span><span class="soft">${msg('An agent before its training')}</span>`;
    if (recorded)
      return html`<span class="badge">${msg('Recorded')}</span><span class="soft">${msg(str`A try of update ${last.step}`)}</span>`;
    if (isActive(status))
      return html`<span class="pulse" aria-hidden="true"></span><strong>${msg('Live')}</strong><span class="soft number">${msg(str`a try of update ${last.step}`)}</span>`;
    return html`<span class="soft">${watching ? msg('Playing without training') : msg('The last try')}</span>`;
  }

  /** Opens the newest update's tries, held there while the training goes on. */
  private renderCloser() {
    if (!this.state.records.some(({ step }) => step > 0)) return nothing;
    return html`<button class="link" @click=${() => this.app.navigation?.lookCloser()}>${msg('Look closer')}</button>`;
  }

  private renderQuiet() {
    const { progress, phase } = this.state;
    if (progress)
      return html`<div class="state" role="status"><span>${plainProgressText(progress)}</span>${progressBar(progress)}</div>`;
    return phase === 'starting' ? loadingState(msg('Opening the world')) : nothing;
  }

  private renderTurn({ action, turn, horizon, done, reward }: LiveTurn) {
    const ending =
      reward > 0
        ? html`<span class="badge good">✓ ${msg('Success: reward 1')}</span>`
        : html`<span class="badge bad">✕ ${msg('Failure: reward 0')}</span>`;
    return html`<p class="turn row"><span class="soft number">${moveText(turn, horizon)}</span>
      <span class="action">${action}</span>${done ? ending : nothing}</p>`;
  }
}
