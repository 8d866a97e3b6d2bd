/** Numbers among the policy's notes, which are saved with its weights: single ones and lists of records. */

/** Numbers of the policy that are saved with its weights, as 32-bit floats. */
export type Notes = Map<string, number>;

/** Texts of the policy that are saved with its weights. */
export type Texts = Map<string, string>;

/** Reads the records below `prefix`, in order; each has all `fields`. */
export function readList<F extends string>(
  notes: ReadonlyMap<string, number>,
  prefix: string,
  fields: readonly F[],
): Record<F, number>[] {
  const records: Record<F, number>[] = [];
  for (;;) {
    const at = (field: F) => notes.get(`${prefix}.${records.length}.${field}`);
    if (fields.some((field) => at(field) === undefined)) return records;
    records.push(Object.fromEntries(fields.map((field) => [field, at(field)])) as Record<F, number>);
  }
}

/** Replaces the records below `prefix`. */
export function writeList<F extends string>(
  notes: Notes,
  prefix: string,
  fields: readonly F[],
  records: readonly Record<F, number>[],
): void {
  for (const name of [...notes.keys()]) if (name.startsWith(`${prefix}.`)) notes.delete(name);
  records.forEach((record, i) => {
    for (const field of fields) notes.set(`${prefix}.${i}.${field}`, Math.fround(record[field]));
  });
}
