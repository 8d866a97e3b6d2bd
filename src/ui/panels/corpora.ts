/**
 * Corpora for the world Search, under Storage: files are dropped or chosen, then indexed with progress; indexing can be
 * cancelled and continued. Questions can be added, a corpus deleted. The worker, with SQLite in it, starts when there
 * is something to list or to index.
 */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import { css, html, nothing } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import type { IngestProgress } from '../../corpus/ingest.ts';
import type { PathFile } from '../../corpus/own-files.ts';
import type { CorpusWorkerApi } from '../../corpus/service.ts';
import type { KeptCorpus } from '../../corpus/store.ts';
import { documentCount, fileCount, lineCount, questionCount } from '../kit/counts.ts';
import { bytes, listed } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { DropPanel, dropStyles } from './drop-panel.ts';

/** One worker for the page. */
let worker: Comlink.Remote<CorpusWorkerApi> | null = null;

function corpora(): Comlink.Remote<CorpusWorkerApi> {
  worker ??= Comlink.wrap<CorpusWorkerApi>(
    new Worker(new URL('../../workers/corpus-worker.ts', import.meta.url), { type: 'module', name: 'corpora' }),
  );
  return worker;
}

/** True if the browser may have a stored corpus; checked without starting the worker. */
async function anyKept(): Promise<boolean> {
  try {
    await (await navigator.storage.getDirectory()).getDirectoryHandle('tabgym-corpora');
    return true;
  } catch {
    return false;
  }
}

/** Number of lines that are not valid documents or questions. */
const leftOut = (refused: number) => msg(str`left out: ${lineCount(refused)}`);

const plainName = (path: string) => path.replace(/^.*\//, '').replace(/(\.\w{1,6})?(\.gz)?$/i, '');

@customElement('tabgym-corpora')
export class TabgymCorpora extends DropPanel {
  static override styles = [
    controls,
    dropStyles,
    css`
      progress {
        width: 100%;
      }
    `,
  ];

  @state() private kept: KeptCorpus[] = [];
  @state() private picked: PathFile[] = [];
  @state() private name = '';
  @state() private progress: IngestProgress | null = null;
  /** Corpus for which a question is being written; empty for none. */
  @state() private asked = '';
  /** Corpus whose deletion waits for confirmation; empty for none. */
  @state() private asking = '';
  @query('#questions') private questionsInput!: HTMLInputElement;
  private questionsFor = '';

  override connectedCallback() {
    super.connectedCallback();
    void anyKept().then((any) => (any ? this.listFirst() : undefined));
  }

  override render() {
    return html`
      ${this.kept.length ? this.renderKept() : nothing}
      ${this.asked ? this.renderAsk() : nothing}
      <div class="drop ${this.over ? 'over' : ''}" @dragover=${this.drag} @dragleave=${this.leave} @drop=${this.drop}>
        <strong>${msg('A corpus for Search')}</strong>
        <p class="small soft">${msg('Drop JSON lines (.jsonl, also .gz) or a folder of texts here, or choose them. They stay in this browser.')}</p>
        <div class="row">
          <label class="row">${msg('Files')} <input type="file" multiple aria-label=${msg('Files of a corpus')} @change=${this.choose} /></label>
          <label class="row">${msg('Folder')} <input type="file" webkitdirectory aria-label=${msg('Folder of texts')} @change=${this.choose} /></label>
        </div>
        ${this.picked.length ? this.renderPicked() : nothing}
        ${this.progress ? this.renderProgress(this.progress) : nothing}
        ${this.message ? html`<p role="status">${this.message}</p>` : nothing}
        ${this.problem ? html`<div class="message error" role="alert">${this.problem}</div>` : nothing}
      </div>
      <input id="questions" type="file" hidden @change=${this.readQuestions} />`;
  }

  private renderKept() {
    return html`<table><thead><tr><th scope="col">${msg('Corpus')}</th><th scope="col" class="number">${msg('Size')}</th><th scope="col"><span class="visually-hidden">${msg('Actions')}</span></th></tr></thead>
      <tbody>${this.kept.map((each) => this.renderRow(each))}</tbody></table>`;
  }

  private renderRow({ name, documents, questions, complete, bytes: size, fault }: KeptCorpus) {
    const facts = html`<span class="soft small">${listed([documentCount(documents), questionCount(questions)])}</span>
        ${complete ? nothing : html`<span class="badge warn">${msg('incomplete: choose its files again to continue')}</span>`}`;
    return html`<tr>
      <td>${name} ${fault ? html`<span class="small bad">${msg(str`Cannot be opened: ${fault}.`)}</span>` : facts}</td>
      <td class="number">${bytes(size)}</td>
      <td class="number">${
        this.asking === name
          ? html`<button @click=${() => this.deleteCorpus(name)}>${msg('Delete for good')}</button> <button class="quiet" @click=${() => (this.asking = '')}>${msg('Keep')}</button>`
          : html`${fault ? nothing : this.renderQuestionButtons(name)}
              <button class="quiet" aria-label=${msg(str`Delete ${name}`)} @click=${() => (this.asking = name)}>${msg('Delete')}</button>`
      }</td></tr>`;
  }

  private renderQuestionButtons(name: string) {
    return html`<button class="quiet" aria-label=${msg(str`Add questions to ${name}`)} @click=${() => this.askQuestions(name)}>${msg('Add questions')}</button>
      <button class="quiet" aria-label=${msg(str`Ask about ${name}`)} @click=${() => (this.asked = this.asked === name ? '' : name)}>${msg('Ask')}</button>`;
  }

  /**
   * Form for a question of the reader's own. The first question of a corpus is held out, so that Play and Watch offer
   * it at once.
   */
  private renderAsk() {
    return html`<form class="row" @submit=${this.ask}>
      <label class="row">${msg('Question')} <input name="question" required /></label>
      <label class="row">${msg('Accepted answers, one a line')} <textarea name="golds" rows="2"></textarea></label>
      <button class="primary">${msg('Add')}</button>
    </form>
    <p class="small soft">${msg(str`To play it or watch an agent try, start a new run with world Search and corpus “${this.asked}”.`)}</p>`;
  }

  private ask = (event: Event) => {
    event.preventDefault();
    const name = this.asked;
    const fields = new FormData(event.target as HTMLFormElement);
    const golds = String(fields.get('golds'))
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    const record = JSON.stringify({ question: String(fields.get('question')), answers: golds.length ? golds : [''] });
    void this.attempt(async () => {
      await corpora().addQuestions(name, record);
      this.message = msg(str`The question was added to “${name}”.`);
      this.asked = '';
    });
  };

  private renderPicked() {
    const size = this.picked.reduce((sum, { file }) => sum + file.size, 0);
    return html`<form class="row" @submit=${this.take}>
      <label class="row">${msg('Name')} <input .value=${this.name} maxlength="200" required @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)} /></label>
      <span class="soft small">${listed([fileCount(this.picked.length), bytes(size)])}</span>
      <button class="primary" ?disabled=${this.progress !== null}>${this.goesOn ? msg('Continue') : msg('Index')}</button>
    </form>`;
  }

  private get goesOn(): boolean {
    return this.kept.some(({ name, complete }) => name === this.name && !complete);
  }

  private renderProgress({ bytesRead, bytes: all, documents, refused }: IngestProgress) {
    const words = `${msg(str`${bytes(bytesRead)} of ${bytes(all)}`)}, ${documentCount(documents)}`;
    return html`<progress max=${all || 1} .value=${bytesRead} aria-label=${msg('Indexing')}></progress>
      <div class="row spread"><span class="small number">${words}${refused ? `, ${leftOut(refused)}` : nothing}</span>
      <button @click=${() => corpora().cancel()}>${msg('Stop')}</button></div>`;
  }

  /** Sorted by path, since continuing an interrupted corpus needs the same order in every browser. */
  protected override offer(picked: PathFile[]): void {
    this.picked = picked.sort((a, b) => (a.path < b.path ? -1 : 1));
    const [first] = this.picked;
    this.name = first
      ? this.picked.length > 1 && first.path.includes('/')
        ? first.path.split('/')[0]
        : plainName(first.path)
      : '';
    this.message = first ? '' : msg('No file was dropped.');
    this.problem = '';
  }

  private take = (event: Event) => {
    event.preventDefault();
    const { name, picked } = this;
    this.progress = { bytesRead: 0, bytes: 0, documents: 0, refused: 0 };
    void this.attempt(async () => {
      const report = Comlink.proxy((progress: IngestProgress) => {
        this.progress = progress;
      });
      const result = await corpora().ingest(name, picked, report);
      this.message = result
        ? msg(str`“${name}” can be searched: ${documentCount(result.documents)}; ${leftOut(result.refused)}.`)
        : msg(str`Stopped. To continue “${name}”, choose the same files again.`);
      if (result?.examples.length) this.problem = result.examples.join('\n');
      if (result) this.picked = [];
    });
  };

  private askQuestions(name: string): void {
    this.questionsFor = name;
    this.questionsInput.value = '';
    this.questionsInput.click();
  }

  private readQuestions = () => {
    const file = this.questionsInput.files?.[0];
    if (!file) return;
    void this.attempt(async () => {
      const { added, refused, examples } = await corpora().addQuestions(
        this.questionsFor,
        new Uint8Array(await file.arrayBuffer()),
      );
      this.message = msg(str`Added to “${this.questionsFor}”: ${questionCount(added)}; ${leftOut(refused)}.`);
      this.problem = examples.join('\n');
    });
  };

  private deleteCorpus(name: string): void {
    this.asking = '';
    void this.attempt(() => corpora().remove(name));
  }

  private async listFirst(): Promise<void> {
    await this.list().catch((error: Error) => {
      this.problem = error.message;
    });
  }

  private async list(): Promise<void> {
    this.kept = await corpora().list();
  }

  protected override async attempt(work: () => Promise<void>): Promise<void> {
    this.problem = '';
    this.message = '';
    try {
      await work();
      if (worker) await this.list();
      // The panel above shows the storage in use.
      this.dispatchEvent(new Event('kept'));
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.progress = null;
    }
  }
}
