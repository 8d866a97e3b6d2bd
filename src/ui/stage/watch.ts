/** WATCH: the live episode, with the world's view and its turns. Shows the welcome card while no run is open. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import './episode-view.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { onNumber } from '../kit/number-field.ts';
import { emptyState, errorState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import type { Speed, WatchView } from '../state/watch-view.ts';
import { progressBar, progressText } from '../state/work-progress.ts';
import './welcome.ts';
import { factsOf } from '../../experiment/policies/registry.ts';

@customElement('tabgym-watch')
export class TabgymWatch extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        padding: 12px;
      }
      .head {
        margin-block-end: 10px;
      }
      .pulse {
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: var(--bad);
        animation: pulse 1.6s infinite;
      }
      @keyframes pulse {
        50% {
          opacity: 0.3;
        }
      }
      .task input:not([type='checkbox']) {
        width: 72px;
      }
    `,
  ];

  @state() private split: 'train' | 'test' = 'test';
  /** Task number as typed; null: the one after the task watched last. */
  @state() private task: number | null = null;

  constructor() {
    super([
      'live',
      'recorded',
      'run',
      'status',
      'statusDetail',
      'progress',
      'watching',
      'watchedTask',
      'watchView',
      'gpu',
      'records',
      'opening',
      'owner',
      'draft',
      'busy',
      'problems',
      'kept',
    ]);
  }

  override render() {
    const { run, live, status, statusDetail } = this.state;
    if (!run) return html`<tabgym-welcome .app=${this.app}></tabgym-welcome>`;
    if (status === 'failed') return this.renderFailed(statusDetail);
    return html`${this.renderHead()} ${live.length ? html`<tabgym-episode .turns=${live}></tabgym-episode>` : this.renderQuiet()}`;
  }

  private renderFailed(detail: string) {
    const again = html`<button class="primary" @click=${() => this.app.train()}>${msg('Try again from the last step')}</button>`;
    return errorState(detail || msg('The run stopped. All steps up to the last one are stored.'), again);
  }

  private renderHead() {
    const { watching, status } = this.state;
    const training = isActive(status);
    return html`<div class="row spread head">
      <div class="row">${this.renderLabel(training)}</div>
      ${training && !watching ? nothing : this.renderWatchForm(watching)}
    </div>
    ${this.playsOnly || !this.state.gpu?.supported ? this.renderProcessor() : nothing}`;
  }

  private get playsOnly() {
    const { run } = this.state;
    return run !== null && !factsOf(run.experiment.policy).trains;
  }

  private renderProcessor() {
    const { run } = this.state;
    if (run && 'address' in run.experiment.policy)
      return html`<p class="soft small head">${msg(str`The worlds run in this tab. Their texts are sent to the model at ${run.experiment.policy.address}, which answers with actions. The model does not learn.`)}</p>`;
    if (this.playsOnly)
      return html`<p class="soft small head">${msg('ONNX Runtime runs this language model and downloads its files at the first episode. The model does not learn.')}</p>`;
    return html`<p class="soft small head">${msg('This browser cannot train. The policy can play on the processor with ONNX Runtime (a download of 14 MB from this site at the first episode). It does not learn.')}</p>`;
  }

  /** Label of the shown episode: live, recorded, or played without training. */
  private renderLabel(training: boolean) {
    const { recorded, watching, live } = this.state;
    const last = live.at(-1);
    if (!last) return nothing;
    const { step, group, member } = last;
    const place = msg(str`step ${step}, group ${group + 1}, episode ${member + 1}`);
    if (recorded)
      return html`<strong>${msg('Recorded')}</strong><span class="soft number">${place}</span>
        <button class="link" @click=${() => this.app.navigation.select({ step, group, member, tab: 'trajectory' })}>${msg('Read this episode')}</button>`;
    if (training)
      return html`<span class="pulse" aria-hidden="true"></span><strong>${msg('Live')}</strong><span class="soft number">${place}</span>`;
    return html`<span class="soft">${watching ? msg('playing without training') : msg('the episode you watched last')}</span>`;
  }

  /** Form for playing one task with the policy, without training. */
  private renderWatchForm(watching: boolean) {
    const { gpu, owner } = this.state;
    if (!gpu || owner === 'another-tab') return nothing;
    if (watching)
      return html`<span class="row">${this.renderChoices()}<button @click=${() => this.app.stopWatching()}>${msg('Stop watching')}</button></span>`;
    return html`<form class="row task" @submit=${this.submit}>
      <label class="row" .style=${'gap:4px'}>${msg('Goals')}
        <select @change=${(event: Event) => (this.split = (event.target as HTMLSelectElement).value as 'train' | 'test')}>
          <option value="test" ?selected=${this.split === 'test'}>${msg('held-out')}</option>
          <option value="train" ?selected=${this.split === 'train'}>${msg('training')}</option>
        </select></label>
      <label class="row" .style=${'gap:4px'}>${msg('Task')}
        <input class="number" type="number" min="0" .value=${String(this.nextTask)} @change=${onNumber((typed) => (this.task = Math.max(0, Math.floor(typed) || 0)))} /></label>
      ${this.renderChoices()}
      <button>${msg('Watch one episode')}</button>
    </form>`;
  }

  private submit(event: Event) {
    event.preventDefault();
    const task = this.nextTask;
    this.task = null;
    void this.app.watch(this.split, task);
  }

  /** Number that the form proposes: the first one, then the task after the one watched last. */
  private get nextTask(): number {
    const { watchedTask } = this.state;
    return this.task ?? (watchedTask === null ? 0 : watchedTask + 1);
  }

  /** Speed and order of watched episodes. */
  private renderChoices() {
    const { watchView } = this.state;
    const set = (patch: Partial<WatchView>) => this.app.watching.setView({ ...watchView, ...patch });
    const words: { [speed in Speed]: string } = { slow: msg('slow'), normal: msg('normal'), fast: msg('fast') };
    const check = (label: string, checked: boolean, change: (on: boolean) => void) =>
      html`<label class="row small" .style=${'gap:4px'}><input type="checkbox" .checked=${live(checked)} @change=${(event: Event) => change((event.target as HTMLInputElement).checked)} />${label}</label>`;
    return html`<label class="row small" .style=${'gap:4px'}>${msg('Speed')}
        <select @change=${(event: Event) => set({ speed: (event.target as HTMLSelectElement).value as Speed })}>${(
          Object.keys(words) as Speed[]
        ).map(
          (each) => html`<option value=${each} ?selected=${each === watchView.speed}>${words[each]}</option>`,
        )}</select></label>
      ${check(msg('Shuffled'), watchView.shuffled, (shuffled) => set({ shuffled }))}
      ${check(msg('Next by itself'), watchView.goesOn, (goesOn) => set({ goesOn }))}`;
  }

  private renderQuiet() {
    const { status, progress, records, opening, gpu, watching } = this.state;
    if (progress)
      return html`<div class="state" role="status"><span>${progressText(progress)}</span>${progressBar(progress)}</div>`;
    if (opening || watching) return html`<div class="state" role="status">${msg('One moment')}…</div>`;
    if (status === 'running') return html`<div class="state">${msg('Waiting for the next turn of an episode.')}</div>`;
    if (this.playsOnly)
      return emptyState(
        msg('Ready to play'),
        msg('Choose a task above and watch the model try it. To compare, watch a trained policy try the same task.'),
      );
    if (!gpu?.supported)
      return emptyState(
        msg('Watch the policy, or read recorded episodes'),
        msg(
          'This run cannot train here without a GPU. You can watch its policy above, see its curves below, and read its groups and trajectories in the other tabs.',
        ),
        records.length ? this.readButton() : nothing,
      );
    if (status === 'finished')
      return emptyState(msg('Finished'), msg('Watch the policy try one task.'), this.readButton());
    if (records.some((record) => record.step > 0))
      return emptyState(
        msg('Paused'),
        msg('Continue training, watch the policy try one task, or read the episodes of a step.'),
        this.readButton(),
      );
    return emptyState(
      msg('Ready to train'),
      this.state.run && factsOf(this.state.run.experiment.policy).ownWeights
        ? msg('The policy has random weights. Press Train and watch its first tries.')
        : msg('Press Train and watch its first tries.'),
      html`<button class="primary" ?disabled=${this.state.busy !== null} @click=${() => this.app.train()}>▶ ${msg('Train')}</button>`,
    );
  }

  private readButton() {
    if (!this.state.kept.length) return nothing;
    return html`<button @click=${() => this.app.navigation.select({ tab: 'group' })}>${msg('Read the episodes')}</button>`;
  }
}
