/**
 * Exports the selected records: as a file in any format, as preference pairs, or into the setup as demonstrations for
 * imitation (SFT).
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { algorithms } from '../../rl/algorithms/registry.ts';
import { losslessForm } from '../../trajectories/files/lossless.ts';
import { agentGymDpo, trlPreference } from '../../trajectories/files/pairs.ts';
import type { WrittenFile } from '../../trajectories/files/reader.ts';
import { trajectoryFormats } from '../../trajectories/files/registry.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { formatLabel } from '../state/labels.ts';
import { type ReaderController, ReaderUpdates } from './reader-controller.ts';

const pairs: readonly string[] = [agentGymDpo.name, trlPreference.name];
/** Algorithm that learns from a file of trajectories. */
const imitation = algorithms.find(({ file }) => file !== undefined)!;
const endings = { array: 'json', lines: 'jsonl', object: 'json' } as const;

@customElement('tabgym-export-records')
export class TabgymExportRecords extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: 6px 8px;
        align-items: center;
        padding: 6px 10px;
        border-block-end: 1px solid var(--line);
      }
      select {
        max-width: 210px;
      }
      .said {
        flex-basis: 100%;
      }
    `,
  ];

  @property({ attribute: false }) app!: Controller;
  @property({ attribute: false }) controller!: ReaderController;
  @state() private format = losslessForm;
  @state() private busy = false;
  @state() private result = '';
  @state() private problem = '';

  constructor() {
    super();
    new ReaderUpdates(this, () => this.controller);
  }

  override render() {
    const { state } = this.controller;
    if (!state) return nothing;
    const { selected, shown, records } = state;
    const none = selected === 0 || this.busy;
    return html`<span class="number" role="status">${msg(str`${selected} selected`)}</span>
      <button class="quiet" ?disabled=${shown === 0} @click=${() => this.controller.select('shown', true)}>${shown < records ? msg('Select the records shown') : msg('Select all')}</button>
      <button class="quiet" ?disabled=${selected === 0} @click=${() => this.controller.select('all', false)}>${msg('Clear the selection')}</button>
      <select aria-label=${msg('Format')} @change=${this.choose}>
        <optgroup label=${msg('Trajectories')}>${this.options((name) => !pairs.includes(name))}</optgroup>
        <optgroup label=${msg('Preference pairs (DPO)')}>${this.options((name) => pairs.includes(name))}</optgroup>
      </select>
      <button ?disabled=${none} @click=${() => this.attempt(() => this.save())}>${msg('Save as a file')}</button>
      <button ?disabled=${none} @click=${() => this.attempt(() => this.imitate())}>${msg('Learn from them (SFT)')}</button>
      ${this.result ? html`<p class="small said" role="status">${this.result}</p>` : nothing}
      ${this.problem ? html`<div class="message error small said" role="alert">${this.problem}</div>` : nothing}`;
  }

  private options(which: (name: string) => boolean) {
    const some = trajectoryFormats.filter(({ name }) => which(name));
    return some.map(
      (each) => html`<option value=${each.name} ?selected=${each.name === this.format}>${formatLabel(each)}</option>`,
    );
  }

  private choose = (event: Event) => {
    this.format = (event.target as HTMLSelectElement).value;
  };

  private async attempt(call: () => Promise<void>) {
    [this.busy, this.result, this.problem] = [true, '', ''];
    try {
      await call();
    } catch (error) {
      this.problem = sentence(error);
    }
    this.busy = false;
  }

  private async save() {
    const { container } = trajectoryFormats.find(({ name }) => name === this.format)!;
    this.result = this.summary(await this.controller.save(this.format, endings[container]));
  }

  private summary({ records, left, lost }: WrittenFile): string {
    const isPairs = pairs.includes(this.format);
    const written = isPairs
      ? msg(str`${records} pairs were written.`)
      : msg(str`${records} trajectories were written.`);
    const unpaired = left ? msg(str` ${left} form no pair: same result as every other attempt.`) : '';
    const losses = lost.map(([what, count]) => `${what} (${count})`).join(', ');
    return `${written}${unpaired}${losses ? ` ${msg(str`The format cannot store: ${losses}.`)}` : ''}`;
  }

  /** Stores the selected records as a recording and sets the draft's algorithm to imitate them. */
  private async imitate() {
    const { blob, records } = await this.controller.write(losslessForm);
    const name = `${this.controller.baseName()}-${records}-selected.jsonl`;
    await this.app.api.keepRecording(blob, name);
    this.app.draft.edit('algorithm.name', imitation.name);
    this.app.draft.edit('algorithm.file', name);
    this.app.layout.showPanel('setup');
    this.result = msg(
      str`The setup now imitates these ${records} trajectories: choose the policy and the world, then press Train.`,
    );
  }
}
