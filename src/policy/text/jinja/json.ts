/** `tojson` of transformers' chat templates: Python's json.dumps with `ensure_ascii` off by default. */
import { floatText } from '../../../python/text.ts';
import { compareTexts, type Dict, Float, fail, isList, Markup, text, typeName, type Value } from './values.ts';
import { copied, deeper, madeText, makeText, work } from './work.ts';

export interface JsonOptions {
  ascii: boolean;
  /** Text of one level; null: on one line. */
  indent: string | null;
  separators: readonly [string, string];
  sorted: boolean;
}

const quoted = (value: string, ascii: boolean) => {
  const json = JSON.stringify(value);
  return ascii
    ? json.replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, (code) =>
        String.fromCharCode(Number.parseInt(code.slice(2), 16)),
      );
};

const jsonFloat = (value: number) =>
  Number.isFinite(value) ? floatText(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return String(key);
  return key instanceof Float ? jsonFloat(key.value) : text(key);
}

function entriesOf(dict: Dict, sorted: boolean): [Value, Value][] {
  const entries = [...dict];
  return sorted ? entries.sort(([a], [b]) => compareTexts(keyText(a), keyText(b))) : entries;
}

/** Joins the items of a list or dict between its brackets. */
function enclosed(
  items: readonly string[],
  [open, close]: readonly [string, string],
  options: JsonOptions,
  depth: number,
) {
  if (items.length === 0) return open + close;
  const { indent, separators } = options;
  if (indent === null) return open + items.join(separators[0]) + close;
  makeText(items.length * indent.length * (depth + 1));
  const line = `\n${indent.repeat(depth + 1)}`;
  return `${open}${line}${items.join(`${separators[0]}${line}`)}\n${indent.repeat(depth)}${close}`;
}

export function toJson(value: Value, options: JsonOptions, depth = 0): string {
  work();
  return madeText(deeper(() => jsonOf(value, options, depth)));
}

function jsonOf(value: Value, options: JsonOptions, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Markup) return jsonOf(value.text, options, depth);
  if (typeof value === 'string') {
    copied(value);
    return quoted(value, options.ascii);
  }
  if (value instanceof Float) return jsonFloat(value.value);
  if (isList(value))
    return enclosed(
      [...value].map((each) => toJson(each, options, depth + 1)),
      ['[', ']'],
      options,
      depth,
    );
  if (!(value instanceof Map)) return fail(`Object of type ${typeName(value)} is not JSON serializable`);
  const items = entriesOf(value, options.sorted).map(
    ([key, each]) =>
      `${quoted(keyText(key), options.ascii)}${options.separators[1]}${toJson(each, options, depth + 1)}`,
  );
  return enclosed(items, ['{', '}'], options, depth);
}
