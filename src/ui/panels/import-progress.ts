/**
 * Import of a run's file, or opening of a stored run, in a corner of the page: its progress, the time that is left, and
 * a button that cancels it.
 */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { RunSummary, ShareReport, TrainerApi } from '../../session/protocol.ts';
import type { LazyParts } from '../control/lazy-parts.ts';
import { percent, shortDuration } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { shownName } from '../state/picked-files.ts';

/** Shorter work shows nothing. */
const showAfterMs = 700;
/** Before that an estimate is worth little. */
const estimateAfterMs = 2000;
const leastShare = 0.01;

@customElement('tabgym-import-progress')
export class TabgymImportProgress extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        position: fixed;
        inset: auto auto 12px 12px;
        z-index: 20;
        display: grid;
        gap: 4px;
        width: min(340px, calc(100vw - 24px));
        padding: 10px 12px;
        box-sizing: border-box;
        background: var(--surface);
        color: var(--text);
        border: 1px solid var(--line-strong);
        border-inline-start: 4px solid var(--accent);
        border-radius: var(--radius);
        box-shadow: var(--shadow-high);
        overflow-wrap: anywhere;
      }
      progress {
        width: 100%;
      }
      @media (max-width: 860px) {
        :host {
          inset: 104px auto auto 12px;
        }
      }
    `,
  ];

  /** Name of a file that is imported; else the empty text. */
  @property() file = '';
  /** Name of a run that is opened; else the empty text. */
  @property() run = '';
  @state() private share = 0;
  @state() private canceled = false;
  private readonly startedAt = performance.now();

  /** Receives the share that is done. Returns false once the import is canceled. */
  readonly take = (share: number): boolean => {
    this.share = share;
    return !this.canceled;
  };

  override render() {
    return html`<div role="status"><strong>${this.heading()}</strong></div>
      <progress aria-label=${this.file ? msg('Reading the file') : msg('Reading the run')} .value=${this.share}></progress>
      <div class="row spread"><span class="small soft number">${percent(this.share)}${this.left()}</span>
        <button ?disabled=${this.canceled} @click=${() => (this.canceled = true)}>${msg('Cancel')}</button></div>`;
  }

  private heading() {
    const { file, run, canceled } = this;
    if (run) return canceled ? msg(str`Canceling the opening of “${run}”`) : msg(str`Opening “${run}”`);
    return canceled ? msg(str`Canceling the import of “${file}”`) : msg(str`Importing “${file}”`);
  }

  private left() {
    const { share } = this;
    const ms = performance.now() - this.startedAt;
    if (this.canceled || ms < estimateAfterMs || share < leastShare || share === 1) return nothing;
    return html` · ${msg(str`${shortDuration((ms * (1 - share)) / share)} left.`)}`;
  }
}

/** Imports the file. Resolves with null if the person cancels it. */
export const importRun = (api: TrainerApi, file: File, whole: boolean): Promise<RunSummary | null> =>
  shown({ file: shownName(file.name) }, (take) => api.importRun(file, file.name, null, whole, Comlink.proxy(take)));

/** Shows the opening of a run. `part` is the report of a part of it. Resolves with null if the person cancels it. */
export const showOpening: LazyParts['showOpening'] = (run, open) =>
  shown({ run }, (take) => open((from, to) => Comlink.proxy((share: number) => take(from + (to - from) * share))));

const canceled = ['ImportCanceledError', 'OpeningCanceledError'];

/** Work with its progress on the page. Resolves with null if the person cancels it. */
async function shown<T>(
  what: { file: string } | { run: string },
  work: (take: ShareReport) => Promise<T>,
): Promise<T | null> {
  const element = Object.assign(new TabgymImportProgress(), what);
  const before = document.activeElement;
  const timer = setTimeout(() => document.body.append(element), showAfterMs);
  try {
    return await work(element.take);
  } catch (error) {
    if (canceled.includes((error as Error).name)) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    const isFocused = document.activeElement === element;
    element.remove();
    if (isFocused && before instanceof HTMLElement) before.focus();
  }
}
