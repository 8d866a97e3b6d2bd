/**
 * File of trajectories that a stage learns from. The page reads it first, with progress, so that problems show at once,
 * and then passes it to the worker, which stores it next to the runs that name it. A run checks when it reads the file
 * whether the records fit its worlds.
 */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Knob } from '../../experiment/knob.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import { checkedSize } from '../../trajectories/files/kept-size.ts';
import type { ReaderState } from '../../trajectories/files/reader.ts';
import { startReader } from '../control/start-reader.ts';
import { bytes, sentences } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { knobLabel, knobSentence } from '../state/labels.ts';
import { KnobChangeEvent } from './knob-field.ts';

/** Maximum number of problems shown as texts; the others are counted. */
const mostTold = 3;

/** Reads a file in a worker of its own. An abort ends it at once, even where it decodes a long group of rows. */
async function read(file: File, signal: AbortSignal, onState: (state: ReaderState) => void): Promise<ReaderState> {
  let worker: Worker | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const started = startReader('trajectory-file', (problem) => reject(new Error(problem)));
      const { reader } = started;
      worker = started.worker;
      signal.addEventListener('abort', () => reject(signal.reason));
      const take = (state: ReaderState) => {
        // A report may arrive after the worker has ended.
        if (signal.aborted) return;
        onState(state);
        // Deletes what was unpacked of a compressed file.
        if (state.phase === 'ready') void reader.close().then(() => resolve(state));
      };
      reader.openFile(file, file.name, Comlink.proxy(take)).catch(reject);
    });
  } finally {
    worker?.terminate();
  }
}

@customElement('tabgym-trajectory-file')
export class TabgymTrajectoryFile extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 4px;
        padding: 3px 0;
      }
      .name {
        overflow-wrap: anywhere;
      }
      progress {
        width: 100%;
      }
    `,
  ];

  @property() path = '';
  @property({ attribute: false }) of!: Knob;
  @property({ attribute: false }) value: string | null = null;
  @property({ attribute: false }) error = '';
  @property({ attribute: false }) api!: () => TrainerApi;
  @state() private progress: { done: number; total: number } | null = null;
  /** Result for the file that was chosen last. */
  @state() private message = '';
  @state() private warning = '';
  @state() private problem = '';
  private abort: AbortController | null = null;

  override disconnectedCallback() {
    this.abort?.abort();
    super.disconnectedCallback();
  }

  override render() {
    const { of: knob, value, progress } = this;
    return html`<div class="row spread"><span>${knobLabel(knob)}</span> <span class="name ${value ? '' : 'soft'}">${value ?? knob.nullMeans}</span></div>
      <p class="small soft">${knobSentence(knob)}</p>
      <div class="row">
        <button ?disabled=${progress !== null} aria-describedby=${this.error || this.problem ? 'problem' : nothing} @click=${this.ask}>${msg('Choose a file')}</button>
        <input id="file" type="file" hidden accept=".json,.jsonl,.ndjson,.gz,.parquet,.txt,application/json" aria-label=${knobLabel(knob)} @change=${this.choose} />
        ${value ? html`<button class="quiet" @click=${this.clear}>${msg('Remove the file')}</button>` : nothing}
      </div>
      ${progress ? this.renderProgress(progress) : nothing}
      ${this.message ? html`<p class="small" role="status">${this.message}</p>` : nothing}
      ${this.warning ? html`<p class="message warning small">${this.warning}</p>` : nothing}
      ${this.error || this.problem ? html`<div id="problem" class="message error" role="alert">${this.problem || this.error}</div>` : nothing}`;
  }

  private renderProgress({ done, total }: { done: number; total: number }) {
    return html`<div class="row"><progress max=${total} value=${done} aria-label=${msg('Reading the file')}></progress>
      <span class="small number">${bytes(done)} / ${bytes(total)}</span>
      <button class="quiet" @click=${() => this.abort?.abort()}>${msg('Cancel')}</button></div>`;
  }

  private send(name: string | null) {
    this.dispatchEvent(new KnobChangeEvent(this.path, name));
  }

  private clear = () => {
    [this.message, this.warning, this.problem] = ['', '', ''];
    this.send(null);
  };

  private ask = () => this.renderRoot.querySelector<HTMLInputElement>('#file')?.click();

  private choose = async (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    // Cleared, so that the same file can be chosen again after a correction.
    input.value = '';
    if (file) await this.take(file);
  };

  private async take(file: File) {
    [this.message, this.warning, this.problem] = ['', '', ''];
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.progress = { done: 0, total: file.size };
    try {
      checkedSize(file.name, file);
      const found = await read(file, signal, ({ done, total }) => {
        this.progress = { done, total };
      });
      await this.api().keepRecording(file, file.name);
      this.tell(found);
      this.send(file.name);
    } catch (error) {
      if (!signal.aborted) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.progress = null;
    }
  }

  private tell({ records, formats, refused, problems }: ReaderState) {
    this.message = msg(str`${records} trajectories, ${formats[0] ?? ''}.`);
    if (!refused) return;
    const lines = problems.slice(0, mostTold).map(({ line, message }) => msg(str`Line ${line}: ${message}`));
    this.warning = sentences(msg(str`Unreadable records, left out: ${refused}.`), ...lines);
  }
}
