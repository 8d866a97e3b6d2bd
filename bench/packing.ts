/**
 * Measures the packing of floating-point weights: processor time a value on one core, for each format and for 4 bits
 * with a minimum also without the WebAssembly kernel. Processor time counts only this process, so programs beside it
 * disturb little.
 */
import { normals } from '../src/policy/weights/init.ts';
import { emptyRows, packWithMinimum, quantizeRows, symmetric, withMinimum } from '../src/policy/weights/quantize.ts';

interface PackingRow {
  name: string;
  /** Median and least processor time a value. */
  nanoseconds: number;
  least: number;
  rounds: number;
}

const [rows, length, rounds] = [256, 896, 15];

function nanosecondsOf(pack: () => unknown): number {
  const before = process.cpuUsage();
  pack();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / (rows * length);
}

export function benchPacking(): PackingRow[] {
  const values = normals(rows * length, 1, 'bench', 0.02);
  const ways: { [name: string]: () => unknown } = {
    '4 bits': () => quantizeRows(symmetric(4), values, length),
    '8 bits': () => quantizeRows(symmetric(8), values, length),
    '4 bits with a minimum': () => quantizeRows(withMinimum(4), values, length),
    'the same without the kernel': () => packWithMinimum(emptyRows(withMinimum(4), rows, length), values),
    '8 bits with a minimum': () => quantizeRows(withMinimum(8), values, length),
  };
  return Object.entries(ways).map(([name, pack]) => {
    for (let i = 0; i < 3; i++) pack();
    const times = Array.from({ length: rounds }, () => nanosecondsOf(pack)).sort((a, b) => a - b);
    const row = { name, nanoseconds: times[rounds >> 1], least: times[0], rounds };
    console.log(`${name}: ${row.nanoseconds.toFixed(1)} ns a value, least ${row.least.toFixed(1)}`);
    return row;
  });
}
