/** Reads, writes and compares JSON documents by dotted path (`worlds.0.options.depths`). Independent of experiments. */
export { readPath, writePath } from '../fields/paths.ts';

type Node = { [key: string]: unknown };

export interface Difference {
  path: string;
  from: unknown;
  to: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Lists of plain values are one value: `[1, 2]` differs as a whole. */
const isLeaf = (value: unknown) => !isNode(value) || (Array.isArray(value) && !value.some(isNode));

/** True for documents with equal texts. */
export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Differences between two documents, leaf by leaf. */
export function differences(from: unknown, to: unknown, prefix = ''): Difference[] {
  if (same(from, to)) return [];
  if (isLeaf(from) || isLeaf(to)) return [{ path: prefix, from, to }];
  const keys = new Set([...Object.keys(from as Node), ...Object.keys(to as Node)]);
  return [...keys].flatMap((key) =>
    differences((from as Node)[key], (to as Node)[key], prefix ? `${prefix}.${key}` : key),
  );
}
