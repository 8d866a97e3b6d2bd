/**
 * Index of the records of a file, in columns: 49 bytes per record whatever it holds, so a gigabyte of records needs
 * tens of megabytes. Columns grow by half, one after the other, so that two copies of the whole never exist at once.
 */
import type { TrajectoryFormat } from './format.ts';
import { trajectoryFormats } from './registry.ts';

/** Summary of a record for a list. */
export interface RecordSummary {
  /** Line, from 1; for a run's episode 0. */
  line: number;
  offset: number;
  bytes: number;
  format: string;
  itemId: string | null;
  world: string | null;
  item: number | null;
  /** Properties of the task, for example "level 5"; null: unknown. */
  family: string | null;
  reward: number | null;
  success: boolean | null;
  /** Number of assistant messages, without the acknowledgement of an instruction. */
  turns: number;
  /** Training step; null: unknown. */
  step: number | null;
}

/** Maximum number of records in a list; a file with more is read in parts. */
export const mostRecords = 4_000_000;
const firstRows = 64;
/** Longest id that is shown. */
const longestId = 200;

/** Null in columns of whole numbers. */
const nothing = 0xffffffff;
/** Null in the column of success. */
const unknown = 2;

/** The same numbers in a longer column. */
function longer<T extends Float64Array | Uint32Array | Uint8Array>(column: T, rows: number): T {
  const out = new (column.constructor as { new (rows: number): T })(rows);
  out.set(column);
  return out;
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Names with a number each, for a column; null has number 0. */
class Names {
  readonly all: (string | null)[] = [null];
  private readonly numbers = new Map<string | null, number>([[null, 0]]);

  numberOf(name: string | null): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.all.push(name) - 1;
    this.numbers.set(name, number);
    return number;
  }
}

export class RecordIndex implements Iterable<RecordSummary> {
  length = 0;
  offset = new Float64Array(firstRows);
  bytes = new Uint32Array(firstRows);
  line = new Uint32Array(firstRows);
  turns = new Uint32Array(firstRows);
  step = new Uint32Array(firstRows);
  reward = new Float64Array(firstRows);
  item = new Float64Array(firstRows);
  /** 0, 1, or 2 if unknown. */
  success = new Uint8Array(firstRows);
  format = new Uint8Array(firstRows);
  /** Indices into `worlds` and `families`. */
  world = new Uint32Array(firstRows);
  family = new Uint32Array(firstRows);
  private readonly worldNames = new Names();
  private readonly familyNames = new Names();
  /** Ids that do not have the form WORLD_ITEM. */
  private readonly odd = new Map<number, string | null>();

  /** Adds a record. Returns false if the index is full. */
  add(summary: RecordSummary): boolean {
    if (this.length === mostRecords) return false;
    const i = this.length++;
    if (i === this.offset.length) this.grow();
    this.offset[i] = summary.offset;
    this.bytes[i] = summary.bytes;
    this.line[i] = summary.line;
    this.turns[i] = summary.turns;
    this.step[i] = summary.step ?? nothing;
    this.reward[i] = summary.reward ?? Number.NaN;
    this.item[i] = summary.item ?? Number.NaN;
    this.success[i] = summary.success === null ? unknown : Number(summary.success);
    this.format[i] = trajectoryFormats.findIndex(({ name }) => name === summary.format);
    this.world[i] = this.worldNames.numberOf(summary.world);
    this.family[i] = this.familyNames.numberOf(summary.family);
    if (this.usualId(i) !== summary.itemId) this.odd.set(i, summary.itemId?.slice(0, longestId) ?? null);
    return true;
  }

  get worlds(): readonly (string | null)[] {
    return this.worldNames.all;
  }

  get families(): readonly (string | null)[] {
    return this.familyNames.all;
  }

  at(i: number): RecordSummary {
    return {
      line: this.line[i],
      offset: this.offset[i],
      bytes: this.bytes[i],
      format: this.formatOf(i).name,
      itemId: this.odd.has(i) ? this.odd.get(i)! : this.usualId(i),
      world: this.worlds[this.world[i]],
      item: orNull(this.item[i]),
      family: this.families[this.family[i]],
      reward: orNull(this.reward[i]),
      success: this.success[i] === unknown ? null : this.success[i] === 1,
      turns: this.turns[i],
      step: this.step[i] === nothing ? null : this.step[i],
    };
  }

  formatOf(i: number): TrajectoryFormat {
    return trajectoryFormats[this.format[i]];
  }

  *[Symbol.iterator](): Generator<RecordSummary> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  private usualId(i: number): string | null {
    const item = orNull(this.item[i]);
    if (item === null) return null;
    const world = this.worlds[this.world[i]];
    return world === null ? String(item) : `${world}_${item}`;
  }

  private grow(): void {
    const rows = Math.min(mostRecords, Math.ceil(this.offset.length * 1.5));
    this.offset = longer(this.offset, rows);
    this.bytes = longer(this.bytes, rows);
    this.line = longer(this.line, rows);
    this.turns = longer(this.turns, rows);
    this.step = longer(this.step, rows);
    this.reward = longer(this.reward, rows);
    this.item = longer(this.item, rows);
    this.success = longer(this.success, rows);
    this.format = longer(this.format, rows);
    this.world = longer(this.world, rows);
    this.family = longer(this.family, rows);
  }
}
