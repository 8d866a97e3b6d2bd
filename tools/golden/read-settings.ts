/**
 * A case's JSON that records which of its values were read. A check that ignores a setting of its case computes another
 * quantity than the recorded one, so every setting left unread is reported (`unreadSettings`).
 *
 * A setting is a number, a truth value or a text of one word, except for results and remarks (`isRemark`). Texts with
 * blanks are explanations, and null is an option that is off. `algorithm` chooses the check.
 */

// biome-ignore lint/suspicious/noExplicitAny: the layout of a case's JSON differs by kind.
export type CaseJson = any;

/** Parts of a case that hold no setting: its description, and recorded results. */
const remarks = [
  /^(case|kind|split|seed|tensors|note|source|formulas?|layout|needs|estimators|produced_by|search|algorithm)$/,
  /^(metrics|kl_metrics|evaluations|kept_groups|step_group_sizes|group_size|num_generations|rollout_n)$/,
  /^tokens_|_rel$|margin|diff|^turns_with_|^a_row_with_|^max_abs/,
];
const isRemark = (key: string) => remarks.some((remark) => remark.test(key));

const isSetting = (key: string, value: unknown) =>
  !isRemark(key) && (typeof value === 'string' ? !/\s/.test(value) : typeof value !== 'object');

/** The JSON with a record of every path that was read. */
export interface ReadSettings {
  json: CaseJson;
  /** Paths of the settings that were not read, such as `settings.default.loss_agg_mode`. */
  unread(): string[];
}

export function readSettings(json: CaseJson): ReadSettings {
  const read = new Set<string>();
  return {
    json: watched(json, '', read),
    unread: () => settingPaths(json, '').filter((path) => !read.has(path)),
  };
}

function watched(value: CaseJson, path: string, read: Set<string>): CaseJson {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return Reflect.get(target, key);
      const inner = pathOf(path, key);
      read.add(inner);
      return watched(target[key], inner, read);
    },
  });
}

const pathOf = (path: string, key: string) => (path ? `${path}.${key}` : key);

/** Paths of all settings, in the order of the file. */
function settingPaths(value: CaseJson, path: string): string[] {
  return Object.entries<CaseJson>(value).flatMap(([key, each]) => {
    const inner = pathOf(path, key);
    if (isSetting(key, each)) return [inner];
    const nested = each !== null && typeof each === 'object' && !Array.isArray(each) && !isRemark(key);
    return nested ? settingPaths(each, inner) : [];
  });
}
