/**
 * Databases for the world SQL, under Storage: a SQLite file and its questions are dropped or chosen, tried and kept. The
 * worker, with SQLite in it, starts when there is something to list or to keep.
 */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { DatabaseWorkerApi, ImportResult, KeptDatabase } from '../../corpus/databases/store.ts';
import { questionCount } from '../kit/counts.ts';
import { bytes } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';

/** One worker for the page. */
let worker: Comlink.Remote<DatabaseWorkerApi> | null = null;

function databases(): Comlink.Remote<DatabaseWorkerApi> {
  worker ??= Comlink.wrap<DatabaseWorkerApi>(
    new Worker(new URL('../../workers/database-worker.ts', import.meta.url), { type: 'module', name: 'databases' }),
  );
  return worker;
}

/** True if the browser may have a stored database; checked without starting the worker. */
async function anyKept(): Promise<boolean> {
  const known = await indexedDB.databases?.().catch(() => []);
  return known?.some(({ name }) => name === 'tabgym-databases') ?? false;
}

const isQuestions = ({ name }: File) => /\.(json|jsonl)$/i.test(name);

@customElement('tabgym-databases')
export class TabgymDatabases extends LitElement {
  static override styles = [
    controls,
    css`
      :host,
      .drop {
        display: grid;
        gap: 8px;
      }
      .drop {
        padding: 8px;
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius);
      }
      .drop.over {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
      td {
        overflow-wrap: anywhere;
      }
    `,
  ];

  @state() private kept: KeptDatabase[] = [];
  @state() private file: File | null = null;
  @state() private questions: File | null = null;
  @state() private name = '';
  @state() private busy = false;
  @state() private message = '';
  @state() private problem = '';
  /** Database whose deletion waits for confirmation; empty for none. */
  @state() private asking = '';
  @state() private over = false;

  override connectedCallback() {
    super.connectedCallback();
    void anyKept().then((any) => (any ? this.list() : undefined));
  }

  override render() {
    return html`
      ${this.kept.length ? this.renderKept() : nothing}
      <div class="drop ${this.over ? 'over' : ''}" @dragover=${this.drag} @dragleave=${() => (this.over = false)} @drop=${this.drop}>
        <strong>${msg('A database for SQL')}</strong>
        <p class="small soft">${msg('Drop a SQLite file and a JSON file of questions with their statements (BIRD’s or Spider’s form) here, or choose both. They stay in this browser.')}</p>
        <label class="row">${msg('Files')} <input type="file" multiple aria-label=${msg('Database and questions')} @change=${this.choose} /></label>
        ${this.file || this.questions ? this.renderPicked() : nothing}
        ${this.message ? html`<p role="status">${this.message}</p>` : nothing}
        ${this.problem ? html`<div class="message error" role="alert">${this.problem}</div>` : nothing}
      </div>`;
  }

  private renderKept() {
    return html`<table><thead><tr><th scope="col">${msg('Database')}</th><th scope="col" class="number">${msg('Size')}</th><th scope="col"><span class="visually-hidden">${msg('Actions')}</span></th></tr></thead>
      <tbody>${this.kept.map((each) => this.renderRow(each))}</tbody></table>`;
  }

  private renderRow({ name, bytes: size, questions }: KeptDatabase) {
    return html`<tr>
      <td>${name} <span class="soft small">${questionCount(questions)}</span></td>
      <td class="number">${bytes(size)}</td>
      <td class="number">${
        this.asking === name
          ? html`<button @click=${() => this.delete(name)}>${msg('Delete for good')}</button> <button class="quiet" @click=${() => (this.asking = '')}>${msg('Keep')}</button>`
          : html`<button class="quiet" aria-label=${msg(str`Delete ${name}`)} @click=${() => (this.asking = name)}>${msg('Delete')}</button>`
      }</td></tr>`;
  }

  private renderPicked() {
    const missing = !this.file ? msg('Add the SQLite file.') : !this.questions ? msg('Add the file of questions.') : '';
    return html`<form class="row" @submit=${this.take}>
      <label class="row">${msg('Name')} <input .value=${this.name} maxlength="100" required @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)} /></label>
      <span class="soft small">${[this.file, this.questions].flatMap((each) => each?.name ?? []).join(', ')}</span>
      <button class="primary" ?disabled=${this.busy || missing !== ''}>${msg('Keep the database')}</button>
      ${missing ? html`<span class="small">${missing}</span>` : nothing}
    </form>`;
  }

  private drag = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    this.over = true;
  };

  private drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    this.over = false;
    this.offer([...(event.dataTransfer?.files ?? [])]);
  };

  private choose = ({ target }: Event) => this.offer([...((target as HTMLInputElement).files ?? [])]);

  /** Takes files one after the other or together. */
  private offer(files: readonly File[]): void {
    this.questions = files.find(isQuestions) ?? this.questions;
    const file = files.find((each) => !isQuestions(each));
    if (file) [this.file, this.name] = [file, file.name.replace(/\.\w+$/, '')];
    this.message = '';
    this.problem = '';
  }

  private take = (event: Event) => {
    event.preventDefault();
    const { name, file, questions } = this;
    if (!file || !questions) return;
    void this.attempt(async () => {
      const result = await databases().bring(name, file, questions);
      this.report(name, result);
      this.file = null;
      this.questions = null;
    });
  };

  private report(name: string, { questions, refused, failed, examples }: ImportResult): void {
    const left = refused + failed;
    const kept = msg(str`“${name}” is kept: ${questionCount(questions)}.`);
    this.message = left ? `${kept} ${msg(str`Left out: ${questionCount(left)}.`)}` : kept;
    this.problem = examples.join('\n');
  }

  private delete(name: string): void {
    this.asking = '';
    void this.attempt(() => databases().remove(name));
  }

  private async list(): Promise<void> {
    this.kept = await databases().list();
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    this.problem = '';
    this.message = '';
    this.busy = true;
    try {
      await work();
      await this.list();
      // The panel above shows the storage in use.
      this.dispatchEvent(new Event('kept'));
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.busy = false;
    }
  }
}
