/** Sweep in the setup: seeds, variants with their differences, and a form that makes the changed settings a variant. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { Experiment } from '../../experiment/experiment.ts';
import { findKnob } from '../../experiment/knobs.ts';
import { changesOf, type Sweep } from '../../experiment/sweep.ts';
import { variantLabels } from '../../experiment/variant-labels.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { runCount } from '../kit/counts.ts';
import { controls } from '../kit/styles/shared.ts';
import { knobLabel, knobSentence } from '../state/labels.ts';

const seedsKnob = findKnob('sweep.seeds.*')!;

@customElement('tabgym-sweep-setup')
export class TabgymSweepSetup extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 6px;
      }
      ol {
        list-style: none;
        display: grid;
        gap: 4px;
      }
      li {
        display: grid;
        grid-template-columns: 1fr auto;
        gap: 0 6px;
        border-inline-start: 3px solid var(--line);
        padding-inline-start: 6px;
        overflow-wrap: anywhere;
      }
      li .apart {
        grid-column: 1 / -1;
      }
      input {
        width: 100%;
      }
      button.link {
        justify-self: start;
      }
    `,
  ];

  @state() private mistake = '';

  constructor() {
    super(['draft', 'preset', 'presets', 'problems', 'run']);
  }

  override render() {
    const { draft } = this.state;
    if (!draft) return nothing;
    if (draft.sweep) return this.renderSweep(draft, draft.sweep);
    const { run } = this.state;
    return run?.sweep ? this.renderMember(run.sweep) : this.renderNone(draft);
  }

  private edit(sweep: Sweep | undefined) {
    this.app.draft.edit('sweep', sweep);
  }

  /** Settings of a single run of the sweep, with a link to those of the whole sweep. */
  private renderMember({ name, document }: NonNullable<RunSummary['sweep']>) {
    const change = () => this.app.draft.use(structuredClone(document));
    return html`<p class="small soft">${msg(str`This run belongs to the sweep “${name}”: the settings above are its own.`)}</p>
      <button class="link" @click=${change}>${msg('Show and change the whole sweep')}</button>`;
  }

  private renderNone({ seed }: Experiment) {
    const begin = () => this.edit({ seeds: [seed, seed + 1, seed + 2], variants: [] });
    return html`<p class="small soft">${msg('One run. A sweep trains several seeds or settings side by side.')}</p>
      <button class="link" @click=${begin}>${msg('Train three seeds side by side')}</button>`;
  }

  private renderSweep(draft: Experiment, { seeds, variants }: Sweep) {
    const runs = seeds.length * Math.max(1, variants.length);
    const labels = variantLabels(draft, knobLabel);
    return html`<label class="small" for="seeds">${knobLabel(seedsKnob)}</label>
      <input id="seeds" inputmode="numeric" .value=${seeds.join(', ')} aria-invalid=${this.mistake ? 'true' : 'false'} aria-describedby="seeds-says" @change=${this.changeSeeds} />
      <p id="seeds-says" class="small soft">${this.mistake || knobSentence(seedsKnob)} ${runCount(runs)}.</p>
      ${variants.length ? html`<ol aria-label=${msg('Variants')}>${variants.map((variant, i) => this.renderVariant(variant.name, labels[i].apart, i))}</ol>` : nothing}
      ${this.renderKeep(draft)}
      <button class="link" @click=${() => this.edit(undefined)}>${msg('One run only')}</button>`;
  }

  private renderVariant(name: string, apart: string, index: number) {
    return html`<li><strong>${name}</strong>
      <button class="quiet" aria-label=${msg(str`Remove variant ${name}`)} @click=${() => this.drop(index)}>✕</button>
      <span class="small soft apart">${apart || msg('same as the settings above')}</span></li>`;
  }

  /** Form that turns the differences from the preset into a variant and resets the settings to the preset. */
  private renderKeep(draft: Experiment) {
    const { presets, preset } = this.state;
    const base = presets[preset];
    const changes = base ? changesOf(base, draft) : {};
    if (!Object.keys(changes).length)
      return html`<p class="small soft">${msg('Change settings above to keep them as another variant.')}</p>`;
    return html`<form class="row" @submit=${(event: Event) => this.keep(event, base, changes)}>
      <input aria-label=${msg('Name of the variant')} placeholder=${msg('Name of the variant')} maxlength="80" required />
      <button class="small">${msg('Keep the changed settings as a variant')}</button></form>`;
  }

  private keep(event: Event, base: Experiment, changes: { [path: string]: unknown }) {
    event.preventDefault();
    const { sweep } = this.state.draft!;
    const name = (event.target as HTMLFormElement).querySelector('input')!.value.trim();
    const before = sweep!.variants.length ? sweep!.variants : [{ name: base.name.slice(0, 80), changes: {} }];
    this.app.draft.change({ ...structuredClone(base), sweep: { ...sweep!, variants: [...before, { name, changes }] } });
  }

  private drop(index: number) {
    const { sweep } = this.state.draft!;
    this.edit({ ...sweep!, variants: sweep!.variants.filter((_, other) => other !== index) });
  }

  private changeSeeds(event: Event) {
    const texts = (event.target as HTMLInputElement).value.split(/[\s,]+/).filter(Boolean);
    const seeds = texts.map(Number);
    const wrong = texts.find((_, i) => !Number.isInteger(seeds[i]) || seeds[i] < 0);
    this.mistake = wrong === undefined ? '' : msg(str`“${wrong}” must be a whole number, 0 or more.`);
    if (!this.mistake) this.edit({ ...this.state.draft!.sweep!, seeds });
  }
}
