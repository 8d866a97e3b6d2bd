/** Result of a measurement, as a table. */
import { cpus } from 'node:os';

export interface Result {
  /** Adapter or processor measured, used in the file's name. */
  on: string;
  adapter: string | null;
  columns: string[];
  rows: (string | number | null)[][];
  details: unknown;
}

export const cpu = () => {
  const all = cpus();
  return `${all[0]?.model ?? 'unknown'} x ${all.length}`;
};

/** CPU seconds of this process so far; a busy machine does not change them. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

export const cell = (value: string | number | null) =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumSignificantDigits: 4 }) : (value ?? '');

/** A measurement of a world, beside the original. */
export interface WorldRow {
  name: string;
  value: number;
  unit: string;
  floor: number;
  aim: number;
  original: number;
}

export function worldResult(details: readonly WorldRow[]): Result {
  const columns = ['', 'ours', 'unit', 'original', 'times', 'floor', 'aim'];
  const rows = details.map((row) => [
    row.name,
    row.value,
    row.unit,
    row.original,
    row.value / row.original,
    row.floor,
    row.aim,
  ]);
  return { on: cpu(), adapter: null, columns, rows, details };
}

/** A rate beside the original's; null: the original was not measured. */
export interface Beside {
  name: string;
  unit: string;
  ours: number;
  original: number | null;
  aim: number;
}

/** Prints the rates, and returns them as a result. */
export function besideOriginal(original: string, details: readonly Beside[]): Result {
  const columns = ['', 'ours', original, 'unit', 'times', 'aim'];
  const rows = details.map(({ name, unit, ours, original: theirs, aim }) => [
    name,
    ours,
    theirs,
    unit,
    theirs === null ? null : ours / theirs,
    aim,
  ]);
  for (const [name, ours, theirs, unit, times] of rows)
    console.log(
      `${name}: ${cell(ours)} ${unit}${theirs === null ? '' : `, ${original} ${cell(theirs)}, ${cell(times)} times`}`,
    );
  return { on: cpu(), adapter: null, columns, rows, details };
}
