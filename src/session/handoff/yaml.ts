/** Settings as YAML: nested maps, and values as JSON, which YAML reads alike. */
import type { Settings } from './target.ts';

const isMap = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** PyYAML reads 1e-7 as a text: a number needs its point. */
function scalar(value: unknown): string {
  if (typeof value !== 'number' || !/^-?\d+e/.test(String(value))) return JSON.stringify(value);
  return String(value).replace('e', '.0e');
}

const inline = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(inline).join(', ')}]` : isMap(value) ? flow(value) : scalar(value);
const flow = (value: Settings) =>
  `{${Object.entries(value)
    .map(([key, each]) => `${key}: ${inline(each)}`)
    .join(', ')}}`;

/** Plain keys only: they are names of settings. */
export function toYaml(settings: Settings, indent = ''): string {
  return Object.entries(settings)
    .map(([key, value]) =>
      isMap(value) && Object.keys(value).length > 0
        ? `${indent}${key}:\n${toYaml(value, `${indent}  `)}`
        : `${indent}${key}: ${inline(value)}\n`,
    )
    .join('');
}

/** `{'a.b': 1}` as `{a: {b: 1}}`. */
export function nested(flat: { readonly [path: string]: Settings[string] }): Settings {
  const out: Settings = {};
  for (const [path, value] of Object.entries(flat)) {
    const keys = path.split('.');
    let at = out;
    for (const key of keys.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Settings;
    }
    at[keys.at(-1)!] = value;
  }
  return out;
}
