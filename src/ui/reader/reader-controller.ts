/**
 * State of the trajectory reader: the open collection and how far it is read, its filtered and sorted list, and the one
 * or two open records. The page's address holds the position; `follow` fetches everything that the address names.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { RecordedReplay } from '../../session/protocol.ts';
import type { OnState, ReaderApi, ReaderState, Row, WrittenFile } from '../../trajectories/files/reader.ts';
import type { TrajectoryRecord } from '../../trajectories/files/record.ts';
import type { Filter, RecordOrder } from '../../trajectories/files/record-filter.ts';
import type { Controller } from '../control/controller.ts';
import { sentence } from '../control/notifier.ts';
import { download } from '../kit/download.ts';
import type { Selection } from '../state/selection.ts';
import { type Fetched, none } from '../state/state.ts';
import { listFromText, listToText } from './list-link.ts';
import { readerApi } from './reader-client.ts';

/** Source in the address that means the episodes of the open run; any other source is a file's name. */
export const runSource = 'run';

export interface OpenRecord {
  index: number;
  record: Fetched<TrajectoryRecord>;
}

/** Number of rows fetched before and after the rows in view. */
const rowsAround = 40;

export class ReaderController {
  state: ReaderState | null = null;
  problem = '';
  shown: OpenRecord | null = null;
  beside: OpenRecord | null = null;
  replay: Fetched<RecordedReplay> = none;
  /** True if the next chosen record opens next to the open one, for comparison. */
  comparing = false;
  /** Counts changes of the list; rows of an earlier generation are fetched again. */
  generation = 0;
  private rows = new Map<number, Row>();
  private asked = '';
  private opened = '';
  private arrangedAs = '';
  private readonly listeners = new Set<() => void>();

  constructor(private readonly app: Controller) {}

  private get api(): ReaderApi {
    return readerApi((problem) => {
      this.state = null;
      this.opened = '';
      this.problem = problem;
      this.changed();
    });
  }

  private get selection(): Selection {
    return this.app.store.state.selection;
  }

  get list(): { filter: Filter; sorting: RecordOrder } {
    return listFromText(this.selection.list);
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed() {
    for (const listener of this.listeners) listener();
  }

  async openFile(file: File) {
    const again = this.selection.source === file.name;
    this.opened = file.name;
    if (!again) this.app.navigation.select({ source: file.name, record: null, beside: null, list: null });
    await this.open((onState) => this.api.openFile(file, file.name, onState));
  }

  async openRun() {
    const { run, records } = this.app.store.state;
    if (!run) return;
    this.opened = runKey(run.id);
    if (this.selection.source !== runSource)
      this.app.navigation.select({ source: runSource, record: null, beside: null, list: null });
    const steps = records.at(-1)?.step ?? run.step;
    const readStep = async (step: number) => (await this.app.api.stepDetail(run.id, step))?.trajectories ?? null;
    await this.open((onState) => this.api.openRun(run.name, steps, readStep, onState));
  }

  private async open(begin: (onState: OnState) => Promise<void>) {
    const { opened } = this;
    this.state = null;
    this.problem = '';
    this.arrangedAs = '';
    this.forget();
    this.changed();
    const onState = (state: ReaderState) => {
      if (this.opened !== opened) return;
      this.state = state;
      this.generation++;
      this.changed();
      void this.follow();
    };
    try {
      await begin(onState);
    } catch (error) {
      if (this.opened !== opened) return;
      this.state = null;
      this.problem = sentence(error);
      this.changed();
    }
  }

  private forget() {
    this.rows.clear();
    this.shown = null;
    this.beside = null;
    this.replay = none;
    this.comparing = false;
  }

  cancel = () => void this.api.cancel();

  /** Fetches everything that the address names and that is not loaded yet. */
  async follow() {
    const { source, record, beside, list } = this.selection;
    const { run } = this.app.store.state;
    if (source === runSource && run && this.opened !== runKey(run.id)) return this.openRun();
    if (!this.state) return;
    if (this.arrangedAs !== (list ?? '')) {
      this.arrangedAs = list ?? '';
      const { filter, sorting } = this.list;
      await this.api.arrange(filter, sorting);
    }
    await Promise.all([this.load('shown', record), this.load('beside', beside)]);
  }

  arrange(filter: Filter, sorting: RecordOrder) {
    this.app.navigation.select({ list: listToText(filter, sorting) || null });
  }

  /** Opens a record, next to the open one if `comparing`. */
  openRecord(index: number) {
    if (this.comparing && this.shown && index !== this.shown.index) {
      this.comparing = false;
      this.app.navigation.select({ beside: index });
    } else this.app.navigation.select({ record: index, turn: 0 });
  }

  closeRecord = () => this.app.navigation.select({ record: null, beside: null });
  closeBeside = () => this.app.navigation.select({ beside: null });

  /** Reads the open record again after a failure. */
  retry = () => {
    this.shown = null;
    void this.follow();
  };

  compare(on: boolean) {
    this.comparing = on;
    this.changed();
  }

  /** Opens the record `by` places further in the list. */
  async move(by: number) {
    if (!this.shown || !this.state) return;
    const place = await this.api.placeOf(this.shown.index);
    const [row] = await this.api.rows(place + by, place + by + 1);
    if (row && place + by >= 0) this.app.navigation.select({ record: row.index, turn: 0 });
  }

  /** Row at a place of the list, or null if it is not fetched yet. */
  row(place: number): Row | null {
    return this.rows.get(place) ?? null;
  }

  async fetchRows(from: number, to: number) {
    const [first, end] = [Math.max(0, from - rowsAround), to + rowsAround];
    const key = `${this.generation} ${first} ${end}`;
    if (this.asked === key || !this.state) return;
    this.asked = key;
    const rows = await this.api.rows(first, end).catch(() => []);
    if (this.asked !== key) return;
    this.rows = new Map(rows.map((row, i) => [first + i, row]));
    this.changed();
  }

  async select(indices: readonly number[] | 'shown' | 'all', on: boolean) {
    await this.api.select(indices, on);
  }

  placeOf = (index: number): Promise<number> => this.api.placeOf(index);

  /** Opens the same episode in the tab Trajectory, which shows its tokens. */
  async openTokens() {
    const place = this.shown && (await this.api.runPlaceOf(this.shown.index));
    if (!place) return;
    this.app.navigation.select({ step: place.step });
    this.app.navigation.select({ ...place, tab: 'trajectory' });
  }

  async playAgain(world: string | null) {
    if (this.shown?.record.state !== 'ready') return;
    const { value } = this.shown.record;
    this.replay = { state: 'loading' };
    this.changed();
    try {
      this.replay = { state: 'ready', value: await this.app.api.replayRecord(value, world) };
    } catch (error) {
      this.replay = { state: 'error', message: sentence(error) };
    }
    this.changed();
  }

  /** Selected records as a file in a format. */
  write = (format: string): Promise<WrittenFile> => this.api.write(format);

  async save(format: string, ending: string) {
    const written = await this.write(format);
    download(written.blob, `${this.baseName()}-${format}.${ending}`);
    return written;
  }

  /** Name of the open collection without file extensions. */
  baseName = (): string => (this.state?.name ?? 'trajectories').replace(/(\.\w{1,6})?(\.gz)?$/i, '');

  private async load(which: 'shown' | 'beside', index: number | null) {
    const now = this[which];
    if ((now?.index ?? null) === index) return;
    // The record may be in the unread part of the file; `follow` runs again when more is read.
    if (index !== null && index >= this.state!.records && this.state!.phase === 'reading') return;
    if (which === 'shown') this.replay = none;
    this[which] = index === null ? null : { index, record: { state: 'loading' } };
    this.changed();
    if (index === null) return;
    const record = await this.api.read(index).then(
      (value): Fetched<TrajectoryRecord> => ({ state: 'ready', value }),
      (error): Fetched<TrajectoryRecord> => ({ state: 'error', message: sentence(error) }),
    );
    if (this[which]?.index !== index) return;
    this[which] = { index, record };
    this.changed();
  }
}

const runKey = (id: string) => `run ${id}`;

/** Updates its host element when the reader's state changes. */
export class ReaderUpdates implements ReactiveController {
  private stop: (() => void) | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly controller: () => ReaderController,
  ) {
    host.addController(this);
  }

  hostConnected() {
    this.stop = this.controller().listen(() => this.host.requestUpdate());
  }

  hostDisconnected() {
    this.stop?.();
  }
}
