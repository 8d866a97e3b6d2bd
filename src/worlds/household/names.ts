/**
 * Names of things, as the original's texts show them: kind and number, where the first id has the highest number. An id
 * without `_bar_` is its own name.
 */

/** Kind in an id: the part before `_bar_`; a basin is a kind of its own. Null if the id has none. */
function kindIn(id: string): string | null {
  const end = id.indexOf('_bar_');
  if (end < 0) return null;
  return `${id.slice(0, end)}${id.includes('basin') ? 'basin' : ''}`;
}

/** Name of each id, where `ids` are all that a problem's facts mention. */
export function namesOf(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  const left = new Map<string, number>();
  for (const kind of sorted.map(kindIn)) if (kind !== null) left.set(kind, (left.get(kind) ?? 0) + 1);
  return new Map(
    sorted.map((id) => {
      const kind = kindIn(id);
      if (kind === null) return [id, id];
      const number = left.get(kind)!;
      left.set(kind, number - 1);
      return [id, `${kind} ${number}`];
    }),
  );
}
