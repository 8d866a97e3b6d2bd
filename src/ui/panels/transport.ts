/** Bar at the top: world and policy, the buttons of training, progress, and the buttons of the drawer. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { RunStatus } from '../../session/protocol.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { duration, fixed, percent, signed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { pendingChanges } from '../state/changes.ts';
import { deviceTitle } from '../state/device.ts';
import { recentStepMs } from '../state/estimate.ts';
import { highlightStyle } from '../state/highlight.ts';
import { playsOnlyReason, policyLabel, worldTitle } from '../state/labels.ts';
import { readSuccess } from '../state/score.ts';
import type { DrawerTab } from '../state/state.ts';
import { progressBar, progressText } from '../state/work-progress.ts';
import { deviceSelect } from './device-select.ts';
import { brand, helpButton, languageSelect, themeButton } from './page-buttons.ts';
import { transportStyles } from './transport-styles.ts';

@customElement('tabgym-transport')
export class TabgymTransport extends Panel {
  static override styles = [controls, transportStyles];

  constructor() {
    super([
      'phase',
      'gpu',
      'run',
      'draft',
      'status',
      'statusDetail',
      'progress',
      'records',
      'owner',
      'theme',
      'drawer',
      'learn',
      'busy',
      'problems',
      'help',
      'sweep',
      'link',
      'sharing',
    ]);
  }

  override render() {
    return html`<header>
      <button class="skip" @click=${() => this.dispatchEvent(new Event('skip'))}>${msg('Skip to the stage')}</button>
      ${brand()}
      ${this.renderWhat()} ${this.renderButtons()} ${this.renderSteps()} ${this.renderSuccess()}
      <div class="end">${this.hides('device') ? nothing : this.renderGpu()} ${this.renderDrawers()} ${this.renderShare()} ${this.renderSimple()} ${languageSelect()} ${themeButton(this.app)} ${helpButton(this.app)}
      </div>
    </header>`;
  }

  private renderWhat() {
    const { run, draft } = this.state;
    const experiment = run?.experiment ?? draft;
    if (!experiment) return nothing;
    const world = worldTitle(experiment.worlds[0]?.name ?? '');
    return html`<div class="what">
      <span title=${run?.name ?? experiment.name}><strong>${run?.name ?? experiment.name}</strong></span>
      <span class="soft small">${world} · ${policyLabel(experiment.policy)}</span>
    </div>`;
  }

  private renderButtons() {
    const { phase, run, draft, status, busy, gpu, owner } = this.state;
    const waits = phase !== 'ready' || busy !== null;
    const playsOnly = playsOnlyReason((run?.experiment ?? draft)?.policy);
    const off = waits || playsOnly !== '' || !gpu?.supported || owner === 'another-tab';
    const running = isActive(status);
    // If nothing can be trained, a policy that only plays can still be opened.
    const noNew = waits || !(gpu?.supported || playsOnlyReason(draft?.policy));
    return html`<div class="buttons" role="group" aria-label=${msg('Training')}>
      <button class="primary train" title=${playsOnly || nothing} ?disabled=${off || status === 'pausing' || this.done} aria-keyshortcuts="Space" @click=${() => this.app.toggle()}>
        ${this.trainLabel(running)}
      </button>
      <button ?hidden=${this.hides('step')} ?disabled=${off || running || this.done} aria-keyshortcuts="s" title=${msg('Train one step (s)')} @click=${() => this.app.step()}>${msg('Step', { id: 'bar.step' })}</button>
      <button class="reset" ?hidden=${this.hides('reset')} ?disabled=${waits || playsOnly !== '' || !run || !gpu?.supported} title=${msg('The same experiment again, from its first step')} @click=${() => this.app.reset()}>${msg('Reset')}</button>
      <button ?hidden=${this.hides('new')} ?disabled=${noNew} title=${msg('A new run of the experiment in the setup')} @click=${() => this.app.create()}>${msg('New')}</button>
    </div>`;
  }

  /** True if the run is finished and the setup has no changes. */
  private get done() {
    const { status, run, draft } = this.state;
    return status === 'finished' && ['none', 'free'].includes(pendingChanges(run, draft).kind);
  }

  private trainLabel(running: boolean) {
    const { status, run, draft } = this.state;
    if (status === 'pausing') return html`<span aria-hidden="true">❚❚</span> ${msg('Pausing')}`;
    if (running) return html`<span aria-hidden="true">❚❚</span> ${msg('Pause')}`;
    if (this.done) return html`<span aria-hidden="true">✓</span> ${msg('Finished')}`;
    const { kind } = pendingChanges(run, draft);
    if (kind === 'fork') return html`<span aria-hidden="true">▶</span> ${msg('Fork and train')}`;
    return html`<span aria-hidden="true">▶</span> ${msg('Train')}`;
  }

  private renderSteps() {
    const { run, draft, records, progress } = this.state;
    const total = (run?.experiment ?? draft)?.steps;
    if (!total) return nothing;
    const step = records.at(-1)?.step ?? run?.step ?? 0;
    return html`<div class="meter steps" .style=${highlightStyle('weights')}>
      <span><strong class="number">${msg(str`Step ${step}`)}</strong> <span class="soft number">/ ${total}</span></span>
      ${
        progress
          ? html`<span class="small soft" title=${progressText(progress)}>${progressText(progress)}</span>${progressBar(progress)}`
          : html`<span class="small soft">${this.statusText()}</span><progress aria-label=${msg('Steps done')} max=${total} .value=${step}></progress>`
      }
    </div>`;
  }

  private statusText() {
    const { status, statusDetail, owner } = this.state;
    if (owner === 'another-tab') return msg('read-only');
    const words: { [each in RunStatus]: string } = {
      idle: msg('not started'),
      preparing: statusDetail || msg('preparing'),
      running: this.sweepText() || this.remainingText() || msg('training'),
      pausing: msg('finishing the step'),
      paused: msg('paused'),
      finished: msg('finished'),
      failed: msg('stopped by an error'),
    };
    return words[status];
  }

  /** Remaining time, by the pace of the newest steps; empty before the first. */
  private remainingText() {
    const { run, records } = this.state;
    const ms = recentStepMs(records);
    const left = (run?.experiment.steps ?? 0) - (records.at(-1)?.step ?? 0);
    return ms === null || left <= 0 ? '' : msg(str`training, ${duration(ms * left)} left`);
  }

  /** Progress and remaining time of a sweep; empty for a single run. */
  private sweepText() {
    const { sweep } = this.state;
    if (!sweep) return '';
    const { done, total, remainingMs } = sweep.state;
    const share = percent(done / Math.max(1, total));
    return remainingMs === null ? msg(str`sweep ${share}`) : msg(str`sweep ${share}, ${duration(remainingMs)} left`);
  }

  private renderSuccess() {
    const success = readSuccess(this.state.records);
    if (!success) return nothing;
    const gain = success.chance === null ? null : success.rate - success.chance;
    const title = success.evaluated
      ? msg(str`Evaluated at step ${success.step}, on training goals`)
      : msg('Mean over the last steps, on training goals');
    // The other numbers of the page are those of single steps.
    const kind = success.evaluated ? msg('evaluated') : msg(str`mean of ${success.updates}`);
    const { sweep, run } = this.state;
    // Of a sweep, all of whose curves are shown, this is one run.
    const variant = sweep?.document.sweep?.variants[run?.sweep?.variant ?? -1]?.name ?? '';
    return html`<div class="meter" title=${title}>
      <span><span class="value"><span class="label">${msg('Success')}</span> ${variant ? html`<span class="small of">${variant}</span> ` : nothing}<strong class="number">${fixed(success.rate)}</strong></span>${variant ? nothing : html` <span class="small soft kind">${kind}</span>`}</span>
      <span class="small soft number">${
        gain === null
          ? msg('chance not known')
          : html`<span class=${gain > 0 ? 'good' : 'soft'}><span aria-hidden="true">${gain > 0 ? '▲' : '▼'}</span> ${signed(gain)}</span> ${msg('over chance')}`
      }</span>
    </div>`;
  }

  private renderGpu() {
    const { gpu } = this.state;
    if (!gpu) return nothing;
    const failed = gpu.supported && gpu.selftest.some((each) => !each.ok);
    const [kind, icon] = !gpu.supported
      ? ['bad', '✕']
      : failed || gpu.adapter.isFallback
        ? ['warn', '!']
        : ['good', '●'];
    return html`<span class="gpu row" title=${deviceTitle(gpu)}><span class=${kind} aria-hidden="true">${icon}</span>${deviceSelect(this.app)}</span>`;
  }

  private renderDrawers() {
    const items: [DrawerTab, string][] = [
      ['runs', msg('Runs')],
      ['agents', msg('Agents')],
      ['storage', msg('Storage')],
      ['gpu', msg('Device')],
      ['log', msg('Log')],
    ];
    const { drawer, learn, phase } = this.state;
    const toggle = () => this.app.layout.openLearn(learn ? null : 'lessons');
    const off = phase !== 'ready';
    const tab = (id: DrawerTab, label: string, open: boolean, look: string) =>
      html`<button class="quiet ${look}" ?disabled=${off} aria-expanded=${open ? 'true' : 'false'} @click=${() => this.app.layout.openDrawer(open ? null : id)}>${label}</button>`;
    return html`<div class="row drawers">
      ${this.hides('learn') ? nothing : html`<button class="quiet" aria-keyshortcuts="n" ?disabled=${off} aria-expanded=${learn ? 'true' : 'false'} @click=${toggle}>${msg('Learn')}</button>`}
      ${this.hides('drawer') ? nothing : [items.map(([id, label]) => tab(id, label, drawer === id, 'tab')), tab('runs', msg('More'), drawer !== null, 'more')]}
    </div>`;
  }

  /** True if a teacher's link hides the control. */
  private renderSimple() {
    return html`<button class="quiet simple" aria-label=${msg('Simple')} title=${msg('The world, one button and one curve')} @click=${() => this.app.layout.arrange('simple')}><span class="icon" aria-hidden="true">⌂</span><span class="label">${msg('Simple')}</span></button>`;
  }

  private renderShare() {
    if (this.hides('share')) return nothing;
    return html`<button class="quiet share" aria-haspopup="dialog" ?disabled=${this.state.phase !== 'ready'} @click=${() => this.app.layout.showSharing(true)}>${msg('Share')}</button>`;
  }
}
