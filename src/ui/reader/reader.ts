/**
 * READ: trajectories of a file, or of all steps of a run: open, filter, read, compare, select and export. The address
 * holds the position; after a reload the person opens the file again.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, query } from 'lit/decorators.js';
import type { ReaderState } from '../../trajectories/files/reader.ts';
import { trajectoryFormats } from '../../trajectories/files/registry.ts';
import { Panel } from '../control/panel.ts';
import { stepCount } from '../kit/counts.ts';
import { bytes, listed } from '../kit/format.ts';
import { emptyState, errorState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { formatLabel } from '../state/labels.ts';
import { ReaderController, ReaderUpdates, runSource } from './reader-controller.ts';
import './filter-bar.ts';
import './record-list.ts';
import type { TabgymRecordList } from './record-list.ts';
import './record-view.ts';
import './send.ts';

/** Shared by all instances of the tab, so that the open file survives a change of tabs. */
let controller: ReaderController | null = null;

@customElement('tabgym-reader')
export class TabgymReader extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto auto auto minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      .top {
        padding: 6px 10px;
        gap: 4px 10px;
        border-block-end: 1px solid var(--line);
      }
      .top .name {
        overflow-wrap: anywhere;
        font-weight: 650;
      }
      .top progress {
        flex: 1 1 90px;
        max-width: 260px;
      }
      details {
        flex-basis: 100%;
      }
      details ul {
        max-height: 110px;
        overflow: auto;
        padding-inline-start: 18px;
        overflow-wrap: anywhere;
      }
      .body {
        display: grid;
        grid-template-columns: minmax(330px, 2fr) minmax(0, 3fr);
        min-height: 0;
      }
      .body[data-closed] {
        grid-template-columns: minmax(0, 1fr);
      }
      tabgym-record {
        border-inline-start: 1px solid var(--line);
      }
      .states {
        grid-row: 2 / -1;
        overflow: auto;
      }
      @media (max-width: 860px) {
        :host {
          grid-template-rows: auto auto auto minmax(320px, 1fr);
          height: auto;
          min-height: 100%;
        }
        .body {
          grid-template-columns: minmax(0, 1fr);
          height: 76vh;
        }
        .body[data-empty] {
          height: auto;
          align-content: start;
        }
        .body:not([data-closed], [data-choosing]) tabgym-record-list,
        .body[data-choosing] tabgym-record {
          display: none;
        }
        tabgym-record {
          border: 0;
        }
        :host([data-open]) tabgym-filter-bar,
        :host([data-open]) tabgym-export-records {
          display: none;
        }
      }
    `,
  ];

  @query('#file') private input!: HTMLInputElement | null;
  @query('tabgym-record-list') private list!: TabgymRecordList | null;
  private listShown = '';

  constructor() {
    super(['selection', 'run', 'records', 'offeredTrajectories']);
    new ReaderUpdates(this, () => this.controller);
  }

  private get controller(): ReaderController {
    controller ??= new ReaderController(this.app);
    return controller;
  }

  protected override willUpdate() {
    this.toggleAttribute('data-open', this.controller.shown !== null && !this.controller.comparing);
  }

  protected override updated() {
    const { offeredTrajectories, selection } = this.state;
    if (offeredTrajectories) {
      this.app.store.set({ offeredTrajectories: null });
      void this.controller.openFile(offeredTrajectories);
    } else void this.controller.follow();
    if ((selection.list ?? '') === this.listShown) return;
    this.listShown = selection.list ?? '';
    this.list?.toTop();
  }

  override render() {
    const { state, problem } = this.controller;
    return html`<div class="row top">
        <button class="primary" @click=${this.ask}>${msg('Open a file')}</button>
        <input id="file" type="file" hidden accept=".json,.jsonl,.ndjson,.gz,.parquet,application/json" aria-label=${msg('File of trajectories')} @change=${this.choose} />
        ${this.renderOwn()}
        ${state ? this.renderState(state) : nothing}
      </div>
      ${state ? this.renderOpen(state) : html`<div class="states">${problem ? this.renderProblem(problem) : this.renderEmpty()}</div>`}`;
  }

  private renderOpen(state: ReaderState) {
    const { shown } = this.controller;
    const { turn } = this.state.selection;
    const listed = state.shown > 0 || state.phase === 'reading' || state.phase === 'searching';
    return html`<tabgym-filter-bar .controller=${this.controller}></tabgym-filter-bar>
      <tabgym-export-records .app=${this.app} .controller=${this.controller}></tabgym-export-records>
      <div class="body" ?data-closed=${!shown} ?data-empty=${!listed && !shown} ?data-choosing=${this.controller.comparing}>
        ${
          listed
            ? html`<tabgym-record-list .controller=${this.controller}></tabgym-record-list>`
            : emptyState(state.records ? msg('No match') : msg('No episode'), this.noneText(state))
        }
        ${shown ? html`<tabgym-record .app=${this.app} .controller=${this.controller} .turn=${turn}></tabgym-record>` : nothing}
      </div>`;
  }

  private noneText({ records, missing }: ReaderState): string {
    if (records) return msg('No trajectory matches the filter. Change the filter, or choose Show all.');
    return missing
      ? msg('The episodes of these steps are not stored, to save space.')
      : msg('After the first training step the episodes of this run are listed here.');
  }

  private renderState({
    name,
    kind,
    phase,
    done,
    total,
    records,
    shown,
    refused,
    problems,
    formats,
    missing,
  }: ReaderState) {
    const busy = phase === 'reading' || phase === 'searching';
    const counted =
      shown === records ? msg(str`${records} trajectories`) : msg(str`${shown} of ${records} trajectories`);
    const unit = (value: number) => (kind === 'file' && phase === 'reading' ? bytes(value) : String(value));
    return html`<span class="name">${name}</span>
      <span class="number small">${counted}${formats.length ? html` · ${formats.join(', ')}` : nothing}</span>
      ${
        busy
          ? html`<progress max=${total || 1} value=${done} aria-label=${phase === 'reading' ? msg('Reading the file') : msg('Searching')}></progress>
            <span class="small number">${unit(done)} / ${unit(total)}</span>
            <button class="quiet" @click=${this.controller.cancel}>${msg('Stop')}</button>`
          : nothing
      }
      ${phase === 'stopped' ? html`<span class="badge warn">! ${msg('stopped: the list shows the part that was read')}</span>` : nothing}
      ${missing ? html`<span class="small soft">${msg(str`episodes of ${stepCount(missing)} are not stored`)}</span>` : nothing}
      ${
        refused
          ? html`<details><summary class="warn">! ${msg(str`Unreadable records, left out: ${refused}.`)}</summary>
            <ul>${problems.map(({ line, message }) => html`<li>${msg(str`Line ${line}: ${message}`)}</li>`)}${refused > problems.length ? html`<li>${msg(str`And ${refused - problems.length} more.`)}</li>` : nothing}</ul></details>`
          : nothing
      }`;
  }

  private renderEmpty() {
    const { source, record } = this.state.selection;
    const open = html`<button class="primary" @click=${this.ask}>${msg('Open a file')}</button>`;
    if (source && source !== runSource)
      return emptyState(
        msg(str`The file “${source}” is not open`),
        record === null
          ? msg('The link points to a file on a computer. Open the file of this name to continue.')
          : msg(str`The link points to record ${record + 1} of this file. Open the file to go there.`),
        open,
      );
    return emptyState(
      msg('Read trajectories'),
      msg(
        str`Drop a file here, or open one: ${listed(trajectoryFormats.map(formatLabel))}; also compressed (.gz). Files of a gigabyte can be read. Nothing leaves this tab.`,
      ),
      html`${open} ${this.renderOwn()}`,
    );
  }

  /** Button that opens the episodes of the open run, if there is one. */
  private renderOwn() {
    if (!this.state.run) return nothing;
    return html`<button @click=${() => this.controller.openRun()}>${msg('Read this run’s episodes')}</button>`;
  }

  private renderProblem(problem: string) {
    return errorState(problem, html`<button @click=${this.ask}>${msg('Open another file')}</button>`);
  }

  private ask = () => this.input?.click();

  private choose = () => {
    const file = this.input?.files?.[0];
    // Lets the same file be chosen again, after it was repaired.
    this.input!.value = '';
    if (file) void this.controller.openFile(file);
  };
}
