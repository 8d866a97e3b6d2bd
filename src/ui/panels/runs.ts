/** RUNS: all runs of this browser. Open, rename, duplicate, delete with undo, export, import. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { factsOf } from '../../experiment/policies/registry.ts';
import { handoffChoices } from '../../session/handoff/names.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { bytes, fixed, when } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { inputFiles } from '../state/picked-files.ts';

@customElement('tabgym-runs')
export class TabgymRuns extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 12px;
      }
      ul {
        list-style: none;
        display: grid;
        gap: 6px;
      }
      li {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        padding: 8px 10px;
        display: grid;
        gap: 2px;
      }
      li.focus {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      .name {
        font-weight: 650;
        overflow-wrap: anywhere;
      }
      .actions {
        gap: 0 4px;
      }
      summary {
        min-height: 24px;
        padding-block: 3px;
      }
      .actions button {
        padding: 2px 6px;
      }
      .drop {
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius);
        padding: 12px;
        text-align: center;
        display: grid;
        gap: 6px;
        justify-items: center;
      }
      .handoff p {
        margin: 4px 0;
      }
      input[type='file'] {
        display: none;
      }
    `,
  ];

  @state() private renaming: string | null = null;

  constructor() {
    super(['runs', 'run', 'busy', 'owner', 'status']);
  }

  override render() {
    const { runs } = this.state;
    const kept = runs.filter((run) => run.deletedUntil === null).sort((a, b) => b.updatedAt - a.updatedAt);
    const binned = runs.filter((run) => run.deletedUntil !== null);
    return html`${this.renderImport()}
      ${kept.length ? html`<ul aria-label=${msg('Runs')}>${kept.map((run) => this.renderRun(run))}</ul>` : html`<p class="soft">${msg('No run is stored in this browser yet.')}</p>`}
      ${binned.length ? this.renderBin(binned) : nothing}`;
  }

  private renderImport() {
    return html`<div class="drop">
      <button ?disabled=${this.state.busy !== null} @click=${() => this.renderRoot.querySelector<HTMLInputElement>('#file')?.click()}>${msg('Import a run, a policy or an adapter')}</button>
      <input id="file" type="file" aria-label=${msg('File to import')} @change=${this.pick} />
      <span class="small soft">${msg('or drop the file anywhere on the page. A run is a .tabgym file; a policy is a .zip with config.json, model.safetensors and tokenizer.json; an adapter is a .zip with adapter_config.json and adapter_model.safetensors.')}</span>
    </div>`;
  }

  private pick(event: Event) {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length) void this.app.fileDrop.take(inputFiles(files));
  }

  private renderRun(run: RunSummary) {
    const focus = run.id === this.state.run?.id;
    return html`<li class=${focus ? 'focus' : ''}>
      ${this.renaming === run.id ? this.renderRename(run) : html`<div class="row spread"><span class="name">${run.name}</span>${focus ? html`<span class="badge">${msg('open')}</span>` : nothing}</div>`}
      <div class="small soft number">${msg(str`step ${run.step} of ${run.experiment.steps}`)} · ${run.success === null ? msg('not evaluated') : msg(str`success ${fixed(run.success)}`)} · ${bytes(run.bytes)}</div>
      <div class="small soft">${when(run.updatedAt)}${this.origin(run)}${run.sweep ? html` · ${msg(str`of the sweep “${run.sweep.name}”`)}` : nothing}</div>
      ${focus && this.state.owner === 'another-tab' ? this.renderOwner() : nothing}
      ${this.renderActions(run, focus)}
    </li>`;
  }

  private renderOwner() {
    return html`<div class="message warning row spread"><span>${msg('Another tab owns this run.')}</span><button @click=${() => this.app.takeOver()}>${msg('Take over')}</button></div>`;
  }

  private origin(run: RunSummary) {
    const parent = run.origin.kind === 'fork' || run.origin.kind === 'duplicate' ? this.nameOf(run.origin.parent) : '';
    if (run.origin.kind === 'fork')
      return html` · ${msg(str`forked from ${parent} at step ${run.origin.step}`)}: ${run.origin.changes.map((each) => each.path).join(', ')}`;
    if (run.origin.kind === 'duplicate') return html` · ${msg(str`copy of ${parent}`)}`;
    if (run.origin.kind === 'import' && run.origin.from) {
      const { trainer, run: parent, step } = run.origin.from;
      return html` · ${msg(str`from ${trainer}, continued from ${parent} at step ${step}`)}`;
    }
    if (run.origin.kind === 'import') return html` · ${msg(str`from ${run.origin.file}`)}`;
    return nothing;
  }

  private nameOf(id: string) {
    return this.state.runs.find((each) => each.id === id)?.name ?? msg('a deleted run');
  }

  private renderActions(run: RunSummary, focus: boolean) {
    const off = this.state.busy !== null;
    const button = (label: string, action: () => unknown) =>
      html`<button class="quiet small" ?disabled=${off} aria-label=${`${label}: ${run.name}`} @click=${action}>${label}</button>`;
    return html`<div class="row actions">
      ${focus ? nothing : button(msg('Open'), () => this.app.open(run.id))}
      ${button(msg('Rename'), () => this.startRename(run.id))} ${button(msg('Duplicate'), () => this.app.library.duplicate(run.id))}
      ${button(msg('Export'), () => this.app.library.exportRun(run))}
      ${!factsOf(run.experiment.policy).exports ? nothing : button(msg('Export policy'), () => this.app.library.exportPolicy(run))}
      ${button(msg('Delete'), () => this.app.library.remove(run))}
    </div>
    ${factsOf(run.experiment.policy).trains && run.step > 0 ? this.renderHandoff(run, off) : nothing}`;
  }

  /** Export for a trainer on a cluster. */
  private renderHandoff(run: RunSummary, off: boolean) {
    const choice = ({ name, label }: (typeof handoffChoices)[number]) =>
      html`<button class="quiet small" ?disabled=${off} aria-label=${msg(str`Continue with ${label}: ${run.name}`)} @click=${() => this.app.library.handOff(run, name)}>${label}</button>`;
    return html`<details class="handoff small">
      <summary>${msg('Continue in another trainer')}</summary>
      <p class="soft">${msg('A zip with the ordered tasks, the policy, the settings in the other trainer’s format, and a README that lists the differences. The worlds are served by this project on Node (npm run serve), as the README shows. Import the result above.')}</p>
      <div class="row actions">${handoffChoices.map(choice)}</div>
    </details>`;
  }

  private startRename(id: string) {
    this.renaming = id;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLInputElement>('#rename')?.select());
  }

  private renderRename(run: RunSummary) {
    return html`<form class="row" @submit=${(event: Event) => this.finishRename(event, run)}>
      <input id="rename" aria-label=${msg('New name')} .style=${'flex:1'} maxlength="120" .value=${run.name} @keydown=${this.cancelRename} />
      <button>${msg('Save')}</button></form>`;
  }

  private cancelRename(event: KeyboardEvent) {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.renaming = null;
  }

  private finishRename(event: Event, run: RunSummary) {
    event.preventDefault();
    const name = this.renderRoot.querySelector<HTMLInputElement>('#rename')?.value.trim();
    this.renaming = null;
    if (name && name !== run.name) void this.app.library.rename(run.id, name);
  }

  private renderBin(binned: readonly RunSummary[]) {
    return html`<details><summary>${msg(str`In the bin: ${binned.length}`)}</summary>
      <ul>${binned.map(
        (
          run,
        ) => html`<li><span class="name">${run.name}</span><span class="small soft">${msg(str`kept until ${when(run.deletedUntil ?? 0)}`)}</span>
        <div class="row"><button class="small" @click=${() => this.app.library.restore(run.id)}>${msg('Restore')}</button>
          <button class="small" @click=${() => this.app.library.purge(run.id)}>${msg('Delete for good')}</button></div></li>`,
      )}</ul></details>`;
  }
}
