/** Writes settings as YAML that PyYAML (YAML 1.1) and hydra read back as the same values. */
import { Document, type ScalarTag } from 'yaml';
import type { Settings } from './target.ts';

/** PyYAML reads 1e-7 as text: an exponent needs a mantissa with a decimal point. */
const exponentWithPoint: ScalarTag = {
  identify: (value) => typeof value === 'number' && /^-?\d+e/.test(String(value)),
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?\d+\.\d+e[-+]?\d+$/,
  resolve: (text) => Number.parseFloat(text),
  stringify: ({ value }) => String(value).replace('e', '.0e'),
};

export function toYaml(settings: Settings): string {
  const document = new Document(settings, { version: '1.1', customTags: (tags) => [exponentWithPoint, ...tags] });
  return document.toString({ defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
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
