/**
 * RUNS: all runs of this browser. Search, open, edit (name, tags, notes), duplicate, export, import; compare or delete
 * several, with undo.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { factsOf } from '../../experiment/policies/registry.ts';
import { handoffChoices } from '../../session/handoff/names.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { Panel } from '../control/panel.ts';
import { bytes, colon, fixed, when } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { inputFiles } from '../state/picked-files.ts';
import { matchingRuns, tagsOf } from '../state/run-filter.ts';
import { readSuccess } from '../state/score.ts';

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
      .chosen {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--surface);
        border: 1px solid var(--accent);
        border-radius: var(--radius);
        padding: 6px 10px;
      }
      .pick {
        display: flex;
        gap: 8px;
        align-items: baseline;
        min-width: 0;
      }
      .tags {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
      }
      .notes {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      form.edit {
        display: grid;
        gap: 4px;
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

  /** Id of the run whose name, tags and notes are edited. */
  @state() private editing: string | null = null;
  @state() private filter = '';
  /** Ids of the ticked runs. */
  @state() private ticked: ReadonlySet<string> = new Set();
  /** Ids and steps of the runs whose curves were requested. */
  private requested = '';

  constructor() {
    super(['runs', 'run', 'busy', 'owner', 'status', 'records']);
  }

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.refresh);
    this.refresh();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.refresh);
  }

  /** Another tab may have made or deleted runs. */
  private readonly refresh = () => {
    if (!document.hidden) void this.app.library.refreshRuns().catch(() => {});
  };

  override render() {
    const { runs } = this.state;
    const kept = this.kept;
    const found = matchingRuns(kept, this.filter);
    const binned = runs.filter((run) => run.deletedUntil !== null);
    return html`${this.renderImport()}
      ${kept.length > 1 ? this.renderSearch(found.length, kept.length) : nothing}
      ${this.renderChosen()}
      ${
        kept.length
          ? html`<ul aria-label=${msg('Runs')}>${repeat(
              found,
              ({ id }) => id,
              (run) => this.renderRun(run),
            )}</ul>`
          : html`<p class="soft">${msg('No run is stored in this browser yet.')}</p>`
      }
      ${binned.length ? this.renderBin(binned) : nothing}`;
  }

  private get kept(): RunSummary[] {
    const kept = this.state.runs.filter((run) => run.deletedUntil === null);
    return kept.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Reads the curves of the listed runs, for their success. */
  protected override updated() {
    const { kept } = this;
    const wanted = kept.map(({ id, step }) => `${id}@${step}`).join();
    if (wanted === this.requested) return;
    this.requested = wanted;
    void this.app.curves.read(kept).then(() => this.requestUpdate());
  }

  private renderSearch(found: number, all: number) {
    return html`<div class="row"><input type="search" .style=${'flex:1'} aria-label=${msg('Search the runs')} placeholder=${msg('Search names, tags and notes')}
        .value=${this.filter} @input=${(event: Event) => (this.filter = (event.target as HTMLInputElement).value)} />
      <span class="small soft number" role="status">${this.filter ? msg(str`${found} of ${all}`) : ''}</span></div>`;
  }

  private get tickedRuns(): RunSummary[] {
    return this.kept.filter(({ id }) => this.ticked.has(id));
  }

  private tick(id: string) {
    const next = new Set(this.ticked);
    if (!next.delete(id)) next.add(id);
    this.ticked = next;
  }

  /** Actions on the ticked runs. */
  private renderChosen() {
    const runs = this.tickedRuns;
    if (!runs.length) return nothing;
    const off = this.state.busy !== null;
    return html`<div class="row spread chosen" role="group" aria-label=${msg('Ticked runs')}><span class="small" role="status">${msg(str`${runs.length} ticked`)}${runs.length < 2 ? html` · ${msg('tick another to compare')}` : nothing}</span>
      <span class="row"><button class="small primary" ?disabled=${off || runs.length < 2} @click=${() => this.app.layout.compareRuns(runs.map(({ id }) => id))}>${msg('Compare')}</button>
        <button class="small" ?disabled=${off} @click=${() => this.removeTicked(runs)}>${msg('Delete the ticked')}</button>
        <button class="quiet small" @click=${() => (this.ticked = new Set())}>${msg('Untick all')}</button></span></div>`;
  }

  private removeTicked(runs: readonly RunSummary[]) {
    this.ticked = new Set();
    void this.app.library.remove(...runs);
  }

  private renderImport() {
    return html`<div class="drop">
      <button ?disabled=${this.state.busy !== null} @click=${() => this.renderRoot.querySelector<HTMLInputElement>('#file')?.click()}>${msg('Import a run, a policy or an adapter')}</button>
      <input id="file" type="file" multiple aria-label=${msg('File to import')} @change=${this.pick} />
      <span class="small soft">${msg('or drop the file anywhere on the page. A run is a .tabgym file; a policy is a .zip with config.json, model.safetensors and tokenizer.json; an adapter is adapter_config.json and adapter_model.safetensors, as two files, a folder or a .zip.')}</span>
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
      ${this.editing === run.id ? this.renderEdit(run) : html`<div class="row spread"><label class="pick"><input type="checkbox" .checked=${live(this.ticked.has(run.id))} @change=${() => this.tick(run.id)} /><span class="name">${run.name}</span></label>${focus ? html`<span class="badge">${msg('open')}</span>` : nothing}</div>`}
      <div class="small soft number">${msg(str`step ${run.step} of ${run.experiment.steps}`)} · ${this.success(run)} · ${bytes(run.bytes)}</div>
      <div class="small soft">${when(run.updatedAt)}${this.origin(run)}${run.sweep ? html` · ${msg(str`of the sweep “${run.sweep.name}”`)}` : nothing}</div>
      ${run.tags?.length ? html`<div class="tags">${run.tags.map((tag) => html`<button class="badge" title=${msg(str`Show the runs with ${tag}`)} @click=${() => (this.filter = tag)}>${tag}</button>`)}</div>` : nothing}
      ${run.notes ? html`<p class="small notes">${run.notes}</p>` : nothing}
      ${focus && this.state.owner === 'another-tab' ? this.renderOwner() : nothing}
      ${this.renderActions(run, focus)}
    </li>`;
  }

  /** The success that the bar shows for this run. */
  private success(run: RunSummary): string {
    const success = readSuccess(this.app.curves.of(run) ?? []);
    if (success) return msg(str`success ${fixed(success.rate)}`);
    return run.success === null ? msg('not evaluated') : msg(str`success ${fixed(run.success)}`);
  }

  private renderOwner() {
    return html`<div class="message warning row spread"><span>${msg('Another tab owns this run.')}</span><button @click=${() => this.app.takeOver()}>${msg('Take over')}</button></div>`;
  }

  private origin(run: RunSummary) {
    const parent = run.origin.kind === 'fork' || run.origin.kind === 'duplicate' ? this.nameOf(run.origin.parent) : '';
    if (run.origin.kind === 'fork')
      return html` · ${msg(str`forked from ${parent} at step ${run.origin.step}`)}${colon()}${run.origin.changes.map((each) => each.path).join(', ')}`;
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
      html`<button class="quiet small" ?disabled=${off} aria-label=${`${label}${colon()}${run.name}`} @click=${action}>${label}</button>`;
    return html`<div class="row actions">
      ${focus ? nothing : button(msg('Open'), () => this.app.open(run.id))}
      ${button(msg('Edit'), () => this.startEdit(run.id))} ${button(msg('Duplicate'), () => this.app.library.duplicate(run.id))}
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

  private startEdit(id: string) {
    this.editing = id;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLInputElement>('#name')?.select());
  }

  private renderEdit(run: RunSummary) {
    return html`<form class="edit" @submit=${(event: Event) => this.finishEdit(event, run)} @keydown=${this.cancelEdit}>
      <label for="name">${msg('New name')}</label><input id="name" maxlength="120" .value=${run.name} />
      <label for="tags">${msg('Tags, separated by commas')}</label><input id="tags" maxlength="400" .value=${(run.tags ?? []).join(', ')} />
      <label for="notes">${msg('Notes')}</label><textarea id="notes" rows="3" maxlength="4000" .value=${run.notes ?? ''}></textarea>
      <div class="row"><button class="primary">${msg('Save')}</button><button type="button" @click=${() => (this.editing = null)}>${msg('Cancel')}</button></div></form>`;
  }

  private cancelEdit(event: KeyboardEvent) {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.editing = null;
  }

  private finishEdit(event: Event, run: RunSummary) {
    event.preventDefault();
    const field = (id: string) =>
      this.renderRoot.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#${id}`)!.value;
    const words = { name: field('name').trim(), tags: tagsOf(field('tags')), notes: field('notes').trim() };
    this.editing = null;
    void this.app.library.edit(run, words);
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
