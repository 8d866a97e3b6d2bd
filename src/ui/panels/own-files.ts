/**
 * Files for a world, under Storage: dropped or chosen, tried and kept, then played in a run. `kind` says which: a
 * database for SQL, a shop, games for Household. The worker starts when there is something to list or to keep.
 */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import { html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { KeptOf, OwnFilesApi, OwnKind, PathFile } from '../../corpus/own-files.ts';
import { worldOfOwn } from '../../worlds/registry.ts';
import type { Controller } from '../control/controller.ts';
import { sentences } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { DropPanel, dropStyles } from './drop-panel.ts';
import { type Brought, type OwnFilesKind, ownKinds, pickedText, readText } from './own-kinds.ts';

/** One worker for the page. */
let worker: Comlink.Remote<OwnFilesApi> | null = null;

function ownFiles(): Comlink.Remote<OwnFilesApi> {
  worker ??= Comlink.wrap<OwnFilesApi>(
    new Worker(new URL('../../workers/own-files-worker.ts', import.meta.url), { type: 'module', name: 'own-files' }),
  );
  return worker;
}

/** True if the browser may have something stored under this name; checked without starting the worker. */
async function anyKept(stored: string): Promise<boolean> {
  const known = await indexedDB.databases?.().catch(() => []);
  return known?.some(({ name }) => name === stored) ?? false;
}

/** Name to offer for files: that of their folder, or of the first file. */
function nameOf([first]: readonly PathFile[]): string {
  if (!first) return '';
  return first.path.includes('/') ? first.path.split('/')[0] : first.path.replace(/\.\w+(-\w+)?$/, '');
}

@customElement('tabgym-own-files')
export class TabgymOwnFiles extends DropPanel {
  static override styles = [controls, dropStyles];

  @property({ attribute: false }) app!: Controller;
  @property() kind: OwnKind = 'databases';
  @state() private kept: KeptOf[OwnKind][] = [];
  @state() private picked: PathFile[] = [];
  @state() private name = '';
  @state() private busy = '';
  /** Name whose deletion waits for confirmation; empty for none. */
  @state() private asking = '';

  private get form(): OwnFilesKind {
    return ownKinds[this.kind];
  }

  override connectedCallback() {
    super.connectedCallback();
    void anyKept(this.form.stored).then((any) => (any ? this.attempt(() => this.list()) : undefined));
  }

  override render() {
    const { form } = this;
    return html`
      ${this.kept.length ? this.renderKept() : nothing}
      <div class="drop ${this.over ? 'over' : ''}" @dragover=${this.drag} @dragleave=${this.leave} @drop=${this.drop}>
        <strong>${form.heading()}</strong>
        <p class="small soft">${form.hint()}</p>
        <div class="row">
          <label class="row">${msg('Files')} <input type="file" multiple aria-label=${form.files()} @change=${this.choose} /></label>
          ${form.folder ? html`<label class="row">${msg('Folder')} <input type="file" webkitdirectory aria-label=${form.folder()} @change=${this.choose} /></label>` : nothing}
        </div>
        ${this.picked.length ? this.renderPicked() : nothing}
        ${this.busy ? html`<p class="small" role="status">${this.busy}</p>` : nothing}
        ${this.message ? html`<p role="status">${this.message}</p>` : nothing}
        ${this.problem ? html`<div class="message ${this.message ? 'warning' : 'error'}" role="alert">${this.problem}</div>` : nothing}
      </div>`;
  }

  private renderKept() {
    return html`<table><thead><tr><th scope="col">${this.form.column()}</th><th scope="col"><span class="visually-hidden">${msg('Actions')}</span></th></tr></thead>
      <tbody>${this.kept.map((each) => this.renderRow(each))}</tbody></table>`;
  }

  private renderRow(kept: KeptOf[OwnKind]) {
    const { name } = kept;
    return html`<tr>
      <td>${name} <span class="soft small">${this.form.facts(kept)}</span></td>
      <td class="number">${
        this.asking === name
          ? html`<button @click=${() => this.delete(name)}>${msg('Delete for good')}</button> <button class="quiet" @click=${() => (this.asking = '')}>${msg('Keep')}</button>`
          : html`${worldOfOwn(this.kind) ? html`<button class="quiet" aria-label=${msg(str`Set up a run with ${name}`)} @click=${() => this.setUp(name)}>${msg('Set up a run')}</button>` : nothing}
              <button class="quiet" aria-label=${msg(str`Delete ${name}`)} @click=${() => (this.asking = name)}>${msg('Delete')}</button>`
      }</td></tr>`;
  }

  private renderPicked() {
    const missing = this.form.missing(new Set(this.picked.map(({ path }) => this.form.part(path) ?? '')));
    return html`<form class="row" @submit=${this.take}>
      <label class="row">${msg('Name')} <input .value=${this.name} maxlength="100" required @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)} /></label>
      <span class="soft small">${pickedText(this.picked)}</span>
      <button class="primary" ?disabled=${this.busy !== '' || missing !== ''}>${msg('Keep these files')}</button>
      <button class="quiet" type="button" @click=${() => this.clear()}>${msg('Clear')}</button>
      ${missing ? html`<span class="small">${missing}</span>` : nothing}
    </form>`;
  }

  /** Puts the world and the option that names the files into the setup. */
  private setUp(name: string): void {
    const { draft, layout } = this.app;
    const world = worldOfOwn(this.kind);
    if (world?.ownFiles) draft.useWorld(world.name, world.ownFiles.option, name);
    layout.showPanel('setup');
  }

  /** Takes files one after the other or together, in the order of their paths. */
  protected override offer(files: readonly PathFile[]): void {
    const wanted = files.filter(({ path }) => this.form.part(path) !== null);
    const parts = new Map([...this.picked, ...wanted].map((each) => [this.form.part(each.path), each]));
    this.picked = [...parts.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.name ||= nameOf(this.picked);
    this.message = '';
    this.problem =
      wanted.length || !files.length ? '' : sentences(msg('None of these files can be used here.'), this.form.hint());
  }

  private clear(): void {
    this.picked = [];
    this.name = '';
    this.problem = '';
  }

  private take = (event: Event) => {
    event.preventDefault();
    const { name, picked, form } = this;
    const report = Comlink.proxy((read: number) => {
      this.busy = readText(read, picked.length);
    });
    void this.attempt(async () => {
      const brought = await form.bring(ownFiles(), name, picked, report);
      await this.list();
      this.clear();
      this.report(name, brought);
      // The panel above shows the storage in use.
      this.dispatchEvent(new Event('kept'));
    });
  };

  private report(name: string, { kept: count, left, reasons }: Brought): void {
    const kept = msg(str`“${name}” is kept: ${count}.`);
    this.message = left ? `${kept} ${msg(str`Left out: ${left}.`)}` : kept;
    this.problem = reasons.join('\n');
  }

  private delete(name: string): void {
    this.asking = '';
    void this.attempt(async () => {
      await ownFiles().remove(this.kind, name);
      await this.list();
      this.dispatchEvent(new Event('kept'));
    });
  }

  private async list(): Promise<void> {
    this.kept = await ownFiles().list(this.kind);
  }

  protected override async attempt(work: () => Promise<void>): Promise<void> {
    this.problem = '';
    this.message = '';
    this.busy = msg('Reading the files');
    try {
      await work();
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.busy = '';
    }
  }
}
