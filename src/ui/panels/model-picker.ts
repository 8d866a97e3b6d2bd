/**
 * Language-model picker: a listed model, any repository, or local files; the precision; the cost in bytes; and the
 * download, with progress and a stop.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { type CatalogueEntry, catalogue, downloadBytes, publicHub } from '../../models/names.ts';
import { cardRun, type ModelCard, type ModelPlace, type Precision } from '../../models/protocol.ts';
import { bytesToKeep, precisions } from '../control/model-picker.ts';
import { Panel } from '../control/panel.ts';
import { fileCount } from '../kit/counts.ts';
import { bytes, colon, compact, percent } from '../kit/format.ts';
import { controls } from '../kit/styles/shared.ts';
import { hasDirectoryPicker, inputFiles, type PickedFiles, pickedFolder } from '../state/picked-files.ts';

const precisionLabels = (): { [precision in Precision]: string } => ({
  int4: msg('4 bits: smallest'),
  int8: msg('8 bits: closest to the original'),
  f32: msg('32 bits: unchanged, largest'),
});

/** First choice: it trains without a GPU as well. */
const smallest = catalogue.reduce((least, each) => (downloadBytes(each) < downloadBytes(least) ? each : least));

/**
 * Models with files up to this size are kept in 8 bits unless a person chooses otherwise: in four bits their replies
 * make no sense.
 */
const mostBytesInInt8 = 1.5e9;

@customElement('tabgym-model-picker')
export class TabgymModelPicker extends Panel {
  static override styles = [
    controls,
    css`
      .inner,
      .field,
      .card {
        display: grid;
        gap: 4px;
      }
      .inner {
        gap: 10px;
      }
      select,
      input[type='text'],
      input[type='url'],
      input[type='password'] {
        width: 100%;
      }
      .drop {
        display: grid;
        gap: 6px;
        justify-items: start;
        padding: 10px;
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius);
      }
      .drop.over {
        background: var(--accent-soft);
        border-color: var(--accent);
      }
      .card {
        padding: 8px 10px;
        border-radius: var(--radius);
        background: var(--surface-2);
      }
      dl {
        display: grid;
        grid-template-columns: 1fr auto;
        gap: 2px 8px;
      }
      dd {
        text-align: end;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
        line-height: 24px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      .more {
        display: grid;
        gap: 8px;
        padding-block-start: 4px;
      }
      dd {
        white-space: nowrap;
      }
      .title {
        overflow-wrap: anywhere;
      }
    `,
  ];

  /** Id of a listed model, `other` or `files`. */
  @state() private choice = smallest.id;
  /** Chosen precision; null: the one that suits the model's size. */
  @state() private chosenPrecision: Precision | null = null;
  @state() private repository = '';
  @state() private base = '';
  @state() private revision = '';
  @state() private gguf = '';
  @state() private onnx = '';
  @state() private token = '';
  @state() private picked: PickedFiles | null = null;
  @state() private over = false;
  @state() private picking = '';
  private seenStep = '';

  constructor() {
    super(['model', 'keptModels', 'gpu', 'offered']);
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.app.models.refresh();
  }

  override render() {
    const busy = this.state.model.step === 'finding' || this.state.model.step === 'downloading';
    return html`<form class="inner" @submit=${this.find}>
      <div class="field"><label for="model">${msg('Model')}</label>
        <select id="model" ?disabled=${busy} @change=${this.choose}>
          ${catalogue.map((entry) => this.renderOption(entry))}
          <option value="other" ?selected=${this.choice === 'other'}>${msg('Another repository…')}</option>
          <option value="files" ?selected=${this.isLocal}>${msg('Files on this computer…')}</option>
        </select></div>
      ${this.isLocal ? this.renderFiles(busy) : this.renderHub(busy)}
      <div class="field"><label for="precision">${msg('Kept in')}</label>
        <select id="precision" ?disabled=${busy} @change=${this.setPrecision}>
          ${precisions.map((each) => html`<option value=${each} ?selected=${each === this.precision}>${precisionLabels()[each]}</option>`)}
        </select></div>
      <button type="submit" ?disabled=${busy || !this.place}>${msg('Look it up')}</button>
      ${this.renderOutcome()}
    </form>`;
  }

  private renderOption(entry: CatalogueEntry) {
    const name = entry.repository.split('/')[1];
    const size = bytes(downloadBytes(entry));
    return html`<option value=${entry.id} ?selected=${entry.id === this.choice}>${entry.gated ? msg(str`${name} (${size}, gated)`) : `${name} (${size})`}</option>`;
  }

  private get listed(): CatalogueEntry | undefined {
    return catalogue.find(({ id }) => id === this.choice);
  }

  private renderHub(busy: boolean) {
    const { listed } = this;
    return html`
      ${
        listed
          ? html`<p class="small soft title">${listed.repository} · ${listed.licence}</p>`
          : this.input(
              'repository',
              msg('Repository'),
              'owner/name',
              this.repository,
              busy,
              (v) => (this.repository = v),
            )
      }
      ${listed?.gated ? this.renderToken(busy) : nothing}
      <details><summary>${msg('Where from')}</summary><div class="more">
        ${this.input('base', msg('Address of the hub or mirror'), publicHub, this.base, busy, (v) => (this.base = v), 'url')}
        ${this.input('revision', msg('Branch, tag or commit'), 'main', this.revision, busy, (v) => (this.revision = v))}
        ${this.input('gguf', msg('A GGUF file instead of the safetensors'), 'model-q8_0.gguf', this.gguf, busy, (v) => (this.gguf = v))}
        ${this.input(/* not a kind: a field's id */ 'onnx', msg('An ONNX file instead, to play without training'), 'onnx/model_q4.onnx', this.onnx, busy, (v) => (this.onnx = v))}
        ${listed?.gated ? nothing : this.renderToken(busy)}
      </div></details>`;
  }

  private renderToken(busy: boolean) {
    return html`${this.input('token', msg('Access token, for a gated model'), '', this.token, busy, (v) => (this.token = v), 'password')}
      <p class="small soft">${msg('Kept in memory, and sent only to the hub.')}</p>`;
  }

  private input(
    id: string,
    label: string,
    placeholder: string,
    value: string,
    disabled: boolean,
    set: (value: string) => void,
    type: 'text' | 'url' | 'password' = 'text',
  ) {
    const change = (event: Event) => {
      set((event.target as HTMLInputElement).value.trim());
      this.app.models.forget();
    };
    return html`<div class="field"><label for=${id}>${label}</label>
      <input id=${id} type=${type} .value=${value} placeholder=${placeholder} autocomplete="off" spellcheck="false" ?disabled=${disabled} @input=${change} /></div>`;
  }

  private renderFiles(busy: boolean) {
    const { picked } = this;
    const names = picked ? `${picked.label}${colon()}${fileCount(picked.files.length)}` : '';
    return html`<div class="drop ${this.over ? 'over' : ''}" @dragover=${this.dragOver} @dragleave=${this.dragLeave} @drop=${this.drop}>
      <span class="small">${msg('Drop a folder with config.json, tokenizer.json and model.safetensors (or a file in ONNX) here, or a .gguf file.')}</span>
      <div class="row">
        <button type="button" ?disabled=${busy} @click=${this.pickFolder}>${msg('Choose a folder')}</button>
        <button type="button" ?disabled=${busy} @click=${() => this.openInput('file')}>${msg('Choose a .gguf file')}</button>
      </div>
      <input id="folder" type="file" webkitdirectory hidden @change=${this.takeInput} />
      <input id="file" type="file" accept=".gguf" multiple hidden @change=${this.takeInput} />
      <span class="small soft title" role="status">${this.picking || names}</span>
    </div>`;
  }

  private renderOutcome() {
    const { step, card, problem } = this.state.model;
    return html`
      ${step === 'finding' ? html`<div class="row spread"><span role="status" class="soft">${msg('Finding the model')}…</span>${this.renderStop()}</div>` : nothing}
      ${card ? this.renderCard() : nothing}
      ${problem ? html`<div class="message error" role="alert">${problem}</div>` : nothing}`;
  }

  private renderCard() {
    const { card, step } = this.state.model;
    if (!card) return nothing;
    if (card.onnx) return this.renderOnnx(card, card.onnx);
    const run = msg(
      str`Device memory to train it (${cardRun.episodes} episodes of ${cardRun.prompt} + ${cardRun.completion} tokens, rank ${cardRun.rank})`,
    );
    const fetched = card.remainingBytes === 0;
    return html`<section class="card" aria-label=${msg('The model')}>
      <h3 class="title">${card.label}</h3>
      <dl class="small">
        <dt>${msg('Parameters')}</dt><dd class="number">${compact(card.parameters)}</dd>
        <dt>${msg('Layers × width')}</dt><dd class="number">${card.layers} × ${card.hidden}</dd>
        <dt>${this.isLocal ? msg('To copy from your files') : msg('Download')}</dt><dd class="number">${fetched ? msg('nothing: already stored') : bytes(card.remainingBytes)}</dd>
        <dt>${msg('Kept on this disk')}</dt><dd class="number">${bytes(card.storedBytes)}</dd>
        <dt>${run}</dt><dd class="number">${card.gpuBytes === null ? '–' : bytes(card.gpuBytes)}</dd>
      </dl>
      ${this.renderRoom(card)}
      ${step === 'downloading' ? this.renderProgress() : nothing}
      ${fetched ? html`<p><span class="badge good">✓ ${msg('ready')}</span></p>` : nothing}
      ${step === 'found' ? this.renderActions(card, fetched) : nothing}
    </section>`;
  }

  /** A model that is not stored yet is stored by its first use, too. */
  private renderActions(card: ModelCard, fetched: boolean) {
    const begun = card.remainingBytes < card.totalBytes;
    return html`<div class="row">
      ${
        fetched || this.isLocal
          ? nothing
          : html`<button type="button" class="primary" @click=${() => this.app.models.download()}>${begun ? msg('Continue the download') : msg('Download')}</button>`
      }
      <button type="button" class=${fetched || this.isLocal ? 'primary' : ''} @click=${this.talk}>${msg('Talk to it')}</button>
      <button type="button" @click=${() => this.app.models.use()}>${msg('Use it in the setup')}</button>
      <button type="button" title=${msg('Sets up TextCraft’s easiest goals with settings by which SmolLM2-135M-Instruct learnt by reward alone in twelve steps.')} @click=${this.learn}>${msg('Teach it TextCraft')}</button>
    </div>`;
  }

  private learn = async () => {
    await this.app.models.learn();
    this.app.layout.showPanel('stage');
    this.app.navigation.select({ tab: 'watch' });
  };

  private talk = () => {
    this.app.models.use();
    this.app.layout.showPanel('stage');
    this.app.navigation.select({ tab: 'talk' });
  };

  private get isLocal(): boolean {
    return this.choice === 'files';
  }

  /** An ONNX model needs no GPU memory, and can play without being stored on disk. */
  private renderOnnx(card: ModelCard, file: string) {
    return html`<section class="card" aria-label=${msg('The model')}>
      <h3 class="title">${card.label}</h3>
      <dl class="small">
        <dt>${msg('File')}</dt><dd>${file}</dd>
        <dt>${msg('Layers × width')}</dt><dd class="number">${card.layers} × ${card.hidden}</dd>
        <dt>${msg('Download, when it first plays')}</dt><dd class="number">${card.remainingBytes ? bytes(card.remainingBytes) : msg('nothing: already stored')}</dd>
      </dl>
      <p class="small soft">${msg('It plays with the ONNX runtime, with or without a GPU, and cannot be trained: use it as a baseline.')}</p>
      <button type="button" class="primary" @click=${() => this.app.models.use()}>${msg('Use it in the setup')}</button>
    </section>`;
  }

  private renderRoom(card: ModelCard) {
    const { room } = this.state.model;
    const needed = bytesToKeep(card);
    if (room === null || room >= needed) return nothing;
    return html`<div class="message warning">${msg(str`This browser has room for ${bytes(room)}, and this model needs ${bytes(needed)} more. Delete models or runs under Storage first, or choose fewer bits.`)}</div>`;
  }

  private renderProgress() {
    const { done, total } = this.state.model;
    return html`<progress max=${total || 1} .value=${done} aria-label=${msg('Downloading')}></progress>
      <div class="row spread"><span class="small number" role="status">${msg(str`${bytes(done)} of ${bytes(total)}`)} (${percent(total ? done / total : 0)})</span>
        ${this.renderStop()}</div>`;
  }

  private renderStop() {
    return html`<button type="button" @click=${() => this.app.models.cancel()}>${msg('Stop')}</button>`;
  }

  private choose(event: Event) {
    this.choice = (event.target as HTMLSelectElement).value;
    this.app.models.forget();
  }

  private setPrecision(event: Event) {
    this.chosenPrecision = (event.target as HTMLSelectElement).value as Precision;
    this.app.models.forget();
  }

  private get precision(): Precision {
    if (this.chosenPrecision) return this.chosenPrecision;
    const { listed, picked } = this;
    const files = picked?.files.reduce((sum, { file }) => sum + file.size, 0) ?? 0;
    const size = this.isLocal ? files : listed ? downloadBytes(listed) : Number.POSITIVE_INFINITY;
    return size <= mostBytesInInt8 ? 'int8' : 'int4';
  }

  private get place(): ModelPlace | null {
    if (this.isLocal) return this.picked && { kind: 'files', ...this.picked };
    const id = this.listed?.repository ?? this.repository;
    const { base, revision, gguf, onnx, token } = this;
    const given = Object.entries({ base, revision, gguf, onnx, token }).filter(([, value]) => value);
    return id ? { kind: 'hub', id, ...Object.fromEntries(given) } : null;
  }

  private find(event: Event) {
    event.preventDefault();
    if (this.place) void this.app.models.find({ place: this.place, precision: this.precision });
  }

  /** Files that were dropped or chosen, here or elsewhere on the page. */
  /** The outcome of a search comes below the fields, often out of sight. */
  protected override updated() {
    const { step } = this.state.model;
    if (this.seenStep === 'finding' && step !== 'finding')
      this.renderRoot.querySelector('.card, .message')?.scrollIntoView({ block: 'nearest' });
    this.seenStep = step;
  }

  protected override willUpdate() {
    const { offered } = this.state;
    if (!offered || offered === this.picked) return;
    this.choice = 'files';
    this.picked = offered;
    // Looked up at once: reading the files' headers costs nothing.
    void this.app.models.find({ place: { kind: 'files', ...offered }, precision: this.precision });
  }

  private async pickFolder() {
    if (!hasDirectoryPicker()) return this.openInput('folder');
    this.picking = msg('Reading the folder');
    try {
      const picked = await pickedFolder();
      if (picked) await this.app.fileDrop.take(picked);
    } catch (error) {
      this.app.notifier.notify('error', (error as Error).message);
    }
    this.picking = '';
  }

  private openInput(id: 'folder' | 'file') {
    this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.click();
  }

  private takeInput(event: Event) {
    const { files } = event.target as HTMLInputElement;
    if (files?.length) void this.app.fileDrop.take(inputFiles(files));
  }

  private dragOver() {
    this.over = true;
  }

  private dragLeave() {
    this.over = false;
  }

  /** The page handles the drop, as it does everywhere else. */
  private drop() {
    this.over = false;
  }
}
