/** Reads and writes JSON documents by dotted path (`worlds.0.options.depths`). */

type Node = { [key: string]: unknown };

export const readPath = (document: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Node | undefined | null)?.[key], document);

/**
 * A copy of the document with one value changed, or removed if `value` is undefined. Other parts are shared with the
 * original.
 */
export function writePath<T>(document: T, path: string, value: unknown): T {
  const [head, ...rest] = path.split('.');
  const copy = (Array.isArray(document) ? [...document] : { ...(document ?? {}) }) as Node;
  copy[head] = rest.length ? writePath(copy[head], rest.join('.'), value) : value;
  if (copy[head] === undefined) delete copy[head];
  return copy as T;
}
