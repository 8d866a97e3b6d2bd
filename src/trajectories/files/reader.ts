/**
 * Reader of one collection at a time: opens it, lists a part, reads a record, keeps the selection, and writes the
 * selection as a file. It runs in a worker, so that a gigabyte costs the page nothing; its messages are small and can
 * be cloned.
 */

import { type ByteSource, type Collection, type OpenFileOptions, TrajectoryFile, TrajectoryWriter } from './file.ts';
import type { Spill } from './gzip.ts';
import { agentGymDpo, outcomeValue, pairFields, trlPreference } from './pairs.ts';
import { type RecordProblem, TrajectoryFileError, type TrajectoryRecord } from './record.ts';
import { type Filter, fileOrder, filteredRecords, noFilter, type RecordOrder } from './record-filter.ts';
import type { RecordSummary } from './record-index.ts';
import { trajectoryFormat } from './registry.ts';
import { type ReadStep, RunTrajectories } from './run-trajectories.ts';

export interface ReaderState {
  name: string;
  kind: 'file' | 'run';
  /** `stopped`: the records read so far are listed. */
  phase: 'reading' | 'searching' | 'ready' | 'stopped';
  done: number;
  total: number;
  records: number;
  /** Number of records that pass the filter. */
  shown: number;
  selected: number;
  refused: number;
  /** The first problems. */
  problems: RecordProblem[];
  /** Labels of the formats in the file. */
  formats: string[];
  worlds: string[];
  /** Properties of the tasks of a run, for example "level 5". */
  families: string[];
  /** True if some records have no world, no success, or no step. */
  nameless: boolean;
  steps: boolean;
  /** Steps of a run whose episodes are no longer stored. */
  missing: number;
}

export interface Row extends RecordSummary {
  index: number;
  selected: boolean;
}

export interface WrittenFile {
  blob: Blob;
  records: number;
  /** Records that could not be written into this file: for pairs, those without a partner. */
  left: number;
  /** Parts that the format cannot hold, each with the number of records that lose it. */
  lost: [what: string, records: number][];
}

export type OnState = (state: ReaderState) => void;

export interface ReaderApi {
  openFile(file: Blob, name: string, onState: OnState): Promise<void>;
  openRun(name: string, steps: number, readStep: ReadStep, onState: OnState): Promise<void>;
  /** Stops reading or searching; the records read so far stay. */
  cancel(): Promise<void>;
  close(): Promise<void>;
  arrange(filter: Filter, sorting: RecordOrder): Promise<void>;
  /** Rows of the list in its current order. */
  rows(from: number, to: number): Promise<Row[]>;
  /** Place of a record in the list; -1: not shown. */
  placeOf(index: number): Promise<number>;
  read(index: number): Promise<TrajectoryRecord>;
  runPlaceOf(index: number): Promise<{ step: number; group: number; member: number } | null>;
  select(indices: readonly number[] | 'shown' | 'all', on: boolean): Promise<void>;
  /** Writes the selection. `name`: name of a format. */
  write(name: string): Promise<WrittenFile>;
}

/** Minimum time between two progress reports, in milliseconds. */
const reportIntervalMs = 150;
/** Longest time between two pauses in which requests are answered, in milliseconds. */
const busyMs = 30;
const mostListedProblems = 50;
/** Length of text collected before it becomes a part of the blob. */
const partLength = 4e6;

const breath = () => new Promise<void>((resolve) => setTimeout(resolve));

function blobSource(file: Blob, name: string): ByteSource {
  return {
    name,
    size: file.size,
    async *stream() {
      const reader = file.stream().getReader();
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
      } finally {
        await reader.cancel();
      }
    },
    slice: async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
  };
}

export class Reader implements ReaderApi {
  private collection: Collection | null = null;
  private kind: ReaderState['kind'] = 'file';
  private phase: ReaderState['phase'] = 'ready';
  private progress = { done: 0, total: 0 };
  private filter = noFilter;
  private sorting = fileOrder;
  /** Records that contain the last searched text. */
  private found: { text: string; marks: Uint8Array } | null = null;
  private order: Uint32Array = new Uint32Array(0);
  private orderOf = 0;
  private selection = new Uint8Array(0);
  private selected = 0;
  private abort = new AbortController();
  private reportedAt = 0;
  private restedAt = 0;
  private onState: OnState = () => {};

  constructor(private readonly spill?: () => Promise<Spill>) {}

  async openFile(file: Blob, name: string, onState: OnState): Promise<void> {
    await this.begin('file', onState);
    const { signal } = this.abort;
    await this.during(signal, async (options) => {
      await TrajectoryFile.open(
        paced(blobSource(file, name), () => this.rest()),
        {
          ...options,
          ...(this.spill && { spill: this.spill }),
          onBegin: (opened) => {
            if (!signal.aborted) this.collection = opened;
          },
        },
      );
    });
  }

  async openRun(name: string, steps: number, readStep: ReadStep, onState: OnState): Promise<void> {
    await this.begin('run', onState);
    const run = new RunTrajectories(name, readStep);
    this.collection = run;
    await this.during(this.abort.signal, (options) => run.list(1, steps, options));
  }

  async cancel(): Promise<void> {
    this.abort.abort();
  }

  async close(): Promise<void> {
    this.abort.abort();
    const { collection } = this;
    this.collection = null;
    await collection?.release();
  }

  async arrange(filter: Filter, sorting: RecordOrder): Promise<void> {
    const searched = filter.text !== '' && filter.text !== this.found?.text;
    this.filter = filter;
    this.sorting = sorting;
    // A list that is still growing is searched when it is complete.
    if (searched && this.phase !== 'reading') await this.findText();
    else if (filter.text === '' && this.phase === 'searching') await this.cancel();
    this.arranged();
    this.reportProgress();
  }

  async rows(from: number, to: number): Promise<Row[]> {
    const { records } = this.opened();
    const some = [...this.order.subarray(Math.max(0, from), Math.min(to, this.order.length))];
    return some.map((index) => ({ index, selected: this.selection[index] === 1, ...records.at(index) }));
  }

  async placeOf(index: number): Promise<number> {
    return this.order.indexOf(index);
  }

  read(index: number): Promise<TrajectoryRecord> {
    const collection = this.opened();
    if (!(index >= 0 && index < collection.records.length))
      throw new TrajectoryFileError(
        `${collection.name} has no record ${index + 1}: it has ${collection.records.length}.`,
      );
    return collection.read(index);
  }

  async runPlaceOf(index: number): Promise<{ step: number; group: number; member: number } | null> {
    return this.collection instanceof RunTrajectories ? this.collection.placeOf(index) : null;
  }

  async select(indices: readonly number[] | 'shown' | 'all', on: boolean): Promise<void> {
    this.makeRoom();
    const { length } = this.opened().records;
    const which = indices === 'shown' ? this.order : indices === 'all' ? Array.from({ length }, (_, i) => i) : indices;
    for (const i of which) {
      if (i >= length || this.selection[i] === Number(on)) continue;
      this.selection[i] = Number(on);
      this.selected += on ? 1 : -1;
    }
    this.reportProgress();
  }

  async write(name: string): Promise<WrittenFile> {
    const format = trajectoryFormat(name);
    const paired = [agentGymDpo, trlPreference].find((each) => each === format);
    return paired ? this.writePairs(paired) : this.writeRecords(name);
  }

  private async writeRecords(name: string): Promise<WrittenFile> {
    const format = trajectoryFormat(name);
    const text = new TrajectoryWriter(format);
    const parts = new Parts();
    const lost = new Map<string, number>();
    let records = 0;
    for (const index of this.chosen()) {
      const record = await this.opened().read(index);
      for (const what of format.loses(record)) lost.set(what, (lost.get(what) ?? 0) + 1);
      parts.add(text.record(record));
      records++;
      await this.rest();
    }
    parts.add(text.end());
    return { blob: parts.blob(), records, left: 0, lost: [...lost] };
  }

  /**
   * Pairs the best with the worst of each task, the second best with the second worst, as long as they differ and begin
   * alike.
   */
  private async writePairs(format: typeof agentGymDpo): Promise<WrittenFile> {
    const { records } = this.opened();
    const tasks = new Map<string, { index: number; value: number }[]>();
    let left = 0;
    for (const index of this.chosen()) {
      const { itemId, ...summary } = records.at(index);
      const value = outcomeValue(summary);
      if (itemId === null || value === null) left++;
      else tasks.set(itemId, [...(tasks.get(itemId) ?? []), { index, value }]);
    }
    const lines: string[] = [];
    for (const members of tasks.values()) {
      members.sort((a, b) => b.value - a.value || a.index - b.index);
      left += members.length;
      for (let k = 0; k < members.length >> 1; k++) {
        const [better, worse] = [members[k], members[members.length - 1 - k]];
        if (better.value <= worse.value) break;
        const fields = pairFields(await this.read(better.index), await this.read(worse.index), format);
        if (!fields) continue;
        lines.push(JSON.stringify(fields));
        left -= 2;
        await this.rest();
      }
    }
    if (!lines.length)
      throw new TrajectoryFileError(
        'The selection has no pair: a pair needs two episodes of one task that begin alike, one of them better.',
      );
    const text = format.container === 'array' ? `[\n${lines.join(',\n')}\n]\n` : `${lines.join('\n')}\n`;
    return { blob: new Blob([text]), records: lines.length, left, lost: [] };
  }

  private *chosen(): Generator<number> {
    if (this.selected === 0)
      throw new TrajectoryFileError('Nothing is selected: choose trajectories in the list first.');
    for (let i = 0; i < this.selection.length; i++) if (this.selection[i] === 1) yield i;
  }

  private async begin(kind: ReaderState['kind'], onState: OnState): Promise<void> {
    await this.close();
    this.abort = new AbortController();
    this.kind = kind;
    this.phase = 'reading';
    this.progress = { done: 0, total: 0 };
    this.found = null;
    this.order = new Uint32Array(0);
    this.orderOf = 0;
    this.selection = new Uint8Array(0);
    this.selected = 0;
    this.onState = onState;
  }

  /** Runs long work: reports its progress, and keeps its results if it is stopped. */
  private async during(signal: AbortSignal, work: (options: OpenFileOptions) => Promise<void>): Promise<void> {
    const onProgress = (done: number, total: number) => {
      if (signal.aborted) return;
      this.progress = { done, total };
      if (performance.now() - this.reportedAt < reportIntervalMs) return;
      this.arranged();
      this.reportProgress();
    };
    try {
      await work({ signal, onProgress });
    } catch (error) {
      if (!signal.aborted || signal !== this.abort.signal) {
        if (!signal.aborted) throw error;
        return;
      }
    }
    this.phase = signal.aborted ? 'stopped' : 'ready';
    if (this.filter.text && !signal.aborted) await this.findText();
    this.arranged(true);
    this.reportProgress();
  }

  private async findText(): Promise<void> {
    const { text } = this.filter;
    const collection = this.opened();
    this.abort.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.phase = 'searching';
    const marks = new Uint8Array(collection.records.length);
    this.found = { text, marks };
    const onProgress = (done: number, total: number) => {
      this.progress = { done, total };
      if (performance.now() - this.reportedAt < reportIntervalMs) return;
      this.arranged(true);
      this.reportProgress();
    };
    try {
      for await (const index of collection.find(text, { signal: abort.signal, onProgress })) {
        marks[index] = 1;
        await this.rest();
        abort.signal.throwIfAborted();
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    if (this.abort !== abort) return;
    this.phase = abort.signal.aborted ? 'stopped' : 'ready';
  }

  /**
   * Sorts and filters the list again if it may have changed. While a long file is read: each time it has grown by a
   * tenth.
   */
  private arranged(now = this.phase !== 'reading'): void {
    if (!this.collection) return;
    const { records } = this.collection;
    const plain = this.sorting.by === 'place' && this.order.length < 1e5;
    if (!now && !plain && records.length < this.orderOf * 1.1) return;
    const { text } = this.filter;
    const found = text && this.found?.text === text ? this.found.marks : null;
    this.order = filteredRecords(records, this.filter, this.sorting, found);
    this.orderOf = records.length;
  }

  private reportProgress(): void {
    const { collection, progress, phase, kind, selected } = this;
    if (!collection) return;
    this.reportedAt = performance.now();
    const { name, records, refused, problems } = collection;
    this.onState({
      name,
      kind,
      phase,
      ...progress,
      records: records.length,
      shown: this.order.length,
      selected,
      refused,
      problems: problems.slice(0, mostListedProblems),
      formats: this.formats(),
      worlds: records.worlds.slice(1, 200) as string[],
      families: records.families.slice(1, 200) as string[],
      nameless: records.length > 0 && records.world.subarray(0, 1000).includes(0),
      steps: records.length > 0 && records.at(0).step !== null,
      missing: collection instanceof RunTrajectories ? collection.missing : 0,
    });
  }

  private formats(): string[] {
    const { records } = this.opened();
    const met = new Set(records.format.subarray(0, Math.min(records.length, 1000)));
    const first = [...met].map((number) => records.format.indexOf(number));
    return first.map((i) => records.formatOf(i).label);
  }

  private makeRoom(): void {
    const { length } = this.opened().records;
    if (this.selection.length >= length) return;
    const longer = new Uint8Array(length);
    longer.set(this.selection);
    this.selection = longer;
  }

  private opened(): Collection {
    if (!this.collection) throw new TrajectoryFileError('No file is open: choose one first.');
    return this.collection;
  }

  /** Pauses long work so that other requests are answered. */
  private async rest(): Promise<void> {
    if (performance.now() - this.restedAt < busyMs) return;
    await breath();
    this.restedAt = performance.now();
  }
}

/** Reads a file in pieces, with a pause between them. */
function paced(source: ByteSource, rest: () => Promise<void>): ByteSource {
  const most = 1 << 20;
  return {
    ...source,
    async *stream() {
      for await (const chunk of source.stream())
        for (let at = 0; at < chunk.length; at += most) {
          yield chunk.subarray(at, at + most);
          await rest();
        }
    },
  };
}

/** Collects a blob from many small texts. */
class Parts {
  private readonly blobs: Blob[] = [];
  private text: string[] = [];
  private length = 0;

  add(text: string): void {
    this.text.push(text);
    this.length += text.length;
    if (this.length < partLength) return;
    this.blobs.push(new Blob(this.text));
    this.text = [];
    this.length = 0;
  }

  blob(): Blob {
    return new Blob([...this.blobs, ...this.text]);
  }
}
