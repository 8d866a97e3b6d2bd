/** Reward in the setup: the world's score, or parts with their weights. Editor and server fields are loaded when needed. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Knob } from '../../experiment/knob.ts';
import { findKnob, knobs } from '../../experiment/knobs.ts';
import { readPath } from '../../experiment/paths.ts';
import { columnOf } from '../../rl/rewards/part.ts';
import { newPart, newReward, type RewardSettings } from '../../rl/rewards/registry.ts';
import { Panel } from '../control/panel.ts';
import { lineCount } from '../kit/counts.ts';
import { controls } from '../kit/styles/shared.ts';
import type { KnobChangeEvent } from './knob-field.ts';

type Part = RewardSettings['parts'][number];

const mostParts = 8;
const partKnobs = knobs.filter(({ path }) => path.startsWith('reward.parts.*.'));
const kindPath = /^reward\.parts\.(\d+)\.kind$/;

@customElement('tabgym-reward-setup')
export class TabgymRewardSetup extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 6px;
      }
      .entry {
        border-block-start: 1px dashed var(--line);
        padding-block-start: 4px;
      }
      button.link {
        justify-self: start;
        white-space: normal;
        text-align: start;
      }
    `,
  ];

  /** Number of the part whose code is open. */
  @state() private editing: number | null = null;
  @state() private proposing = false;
  @state() private calibrates = false;

  constructor() {
    super(['draft', 'preset', 'presets', 'problems', 'run']);
  }

  override render() {
    const { draft } = this.state;
    if (!draft) return nothing;
    // The dialog of proposals opens runs, so it must not depend on the draft.
    return html`${draft.reward ? html`<div class="parts" @knob-change=${this.change}>${this.renderReward(draft, draft.reward)}</div>` : this.renderScore()}
      <button class="link propose" aria-haspopup="dialog" @click=${() => void this.propose()}>${msg('Have reward functions proposed')}</button>
      ${this.proposing ? html`<tabgym-reward-proposals .app=${this.app} @closed=${this.proposed}></tabgym-reward-proposals>` : nothing}`;
  }

  private renderScore() {
    return html`<p class="soft small">${msg('The reward of an episode is the world’s score.')}</p>
      <button class="link" @click=${() => this.set(newReward())}>${msg('Compose the reward')}</button>`;
  }

  private renderReward(draft: Experiment, { combine, parts }: RewardSettings) {
    const own = combine === 'gate' ? ['combine', 'gateAt', 'closed'] : ['combine'];
    return html`${own.map((name) => this.renderKnob(findKnob(`reward.${name}`)!, `reward.${name}`, draft))}
      ${parts.map((part, index) => this.renderPart(draft, part, index))}
      ${parts.length < mostParts ? html`<button class="link" @click=${() => this.add(parts)}>${msg('Add a part')}</button>` : nothing}
      <button class="link" @click=${() => this.set(undefined)}>${msg('Back to the world’s score')}</button>`;
  }

  private renderPart(draft: Experiment, part: Part, index: number) {
    const { parts } = draft.reward!;
    const at = (knob: Knob) => knob.path.replace('*', String(index));
    const shown = partKnobs.filter(({ rewards, kind }) => kind !== 'code' && (!rewards || rewards.includes(part.kind)));
    const remove = () => this.setParts(parts.filter((_, other) => other !== index));
    return html`<div role="group" class="entry" aria-label=${msg(str`Part ${index + 1}: ${columnOf(part)}`)}>
      <div class="row spread"><h3>${msg(str`Part ${index + 1}: ${columnOf(part)}`)}</h3>
        ${parts.length > 1 ? html`<button class="quiet" aria-label=${msg(str`Remove part ${index + 1}`)} @click=${remove}>✕</button>` : nothing}</div>
      ${shown.map((each) => this.renderKnob(each, at(each), draft))}
      ${'code' in part ? this.renderCode(part.code, index) : nothing}
      ${'address' in part ? this.renderServer(part, index) : nothing}
    </div>`;
  }

  private renderCode(code: string, index: number) {
    return html`<div class="row spread">
        <button aria-haspopup="dialog" @click=${() => void this.edit(index)}>${msg('Edit the function')}</button>
        <span class="soft small">${lineCount(code.trimEnd().split('\n').length)}</span></div>
      ${
        this.editing === index
          ? html`<tabgym-reward-editor .app=${this.app} path=${`reward.parts.${index}`} @closed=${this.closed}></tabgym-reward-editor>`
          : nothing
      }`;
  }

  /** Server of a judge: its key, its models, and permission for an experiment from elsewhere. */
  private renderServer(part: Extract<Part, { address: string }>, index: number) {
    void import('./model-connection.ts');
    // A panel needs its controller when it is connected, so its code comes first.
    void import('./judge-calibration.ts').then(() => {
      this.calibrates = true;
    });
    const { address, model } = part;
    const { servers } = this.app;
    const choose = (event: KnobChangeEvent) => {
      event.stopPropagation();
      this.app.draft.edit(`reward.parts.${index}.model`, event.value);
    };
    return html`<tabgym-model-connection address=${address} name=${model} .servers=${servers} .foreign=${servers.foreign} @knob-change=${choose}></tabgym-model-connection>
      ${this.calibrates ? html`<tabgym-judge-calibration .app=${this.app} column=${columnOf(part)}></tabgym-judge-calibration>` : nothing}`;
  }

  private renderKnob(knob: Knob, path: string, draft: Experiment) {
    const { presets, preset, problems, run } = this.state;
    const value = readPath(draft, path);
    const base = preset < 0 ? value : readPath(presets[preset], path);
    const error = problems.filter((each) => each.path === path).map(({ message }) => message);
    return html`<tabgym-knob path=${path} .of=${knob} .value=${value} .changed=${JSON.stringify(base) !== JSON.stringify(value)}
      .error=${error.join(' ')} .cost=${run && run.step > 0 ? msg('Changing it forks the run.') : ''}></tabgym-knob>`;
  }

  /** Another kind of part begins with the defaults of its own fields; an empty column is the kind's name. */
  private change(event: KnobChangeEvent) {
    const index = kindPath.exec(event.path)?.[1];
    const column = /^reward\.parts\.\d+\.name$/.test(event.path);
    if (index === undefined && !(column && event.value === '')) return;
    event.stopPropagation();
    if (index === undefined) this.app.draft.edit(event.path, null);
    else this.app.draft.edit(`reward.parts.${index}`, this.allowed(newPart(String(event.value))));
  }

  private set(reward: RewardSettings | undefined) {
    this.app.draft.edit('reward', reward);
  }

  private setParts(parts: readonly Part[]) {
    this.app.draft.edit('reward.parts', parts);
  }

  private add(parts: readonly Part[]) {
    const taken = new Set(parts.map(columnOf));
    const kinds = findKnob('reward.parts.*.kind')!.choices!.map(String);
    const kind = kinds.find((each) => !taken.has(each)) ?? kinds[0];
    const free = !taken.has(kind);
    this.setParts([...parts, this.allowed({ ...newPart(kind), name: free ? null : `${kind} ${parts.length + 1}` })]);
  }

  /** The code of a new part is this page's own. */
  private allowed(part: Part): Part {
    if ('code' in part) void this.app.consent.allow(part.code);
    return part;
  }

  private async edit(index: number) {
    await import('./reward-editor.ts');
    this.editing = index;
  }

  private async propose() {
    await import('./reward-proposals.ts');
    this.proposing = true;
  }

  private proposed = async () => {
    this.proposing = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLButtonElement>('.propose')?.focus();
  };

  private async closed() {
    this.editing = null;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLButtonElement>('.parts button[aria-haspopup]')?.focus();
  }
}
