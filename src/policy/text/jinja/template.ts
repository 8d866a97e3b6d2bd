/**
 * Jinja templates as transformers runs chat templates: jinja2's immutable sandbox with `trim_blocks`, `lstrip_blocks`
 * and loop controls (transformers, `utils/chat_template_utils.py`).
 *
 * It is written here because @huggingface/jinja 0.5.11 differs from jinja2 without a message: `strip(characters)`
 * ignores its argument, None prints as nothing, True as "true", lists as JSON, `%` and `int` round toward zero, `~` and
 * comparisons bind differently. docs/text.md lists an example of each.
 */
import { tokensOf } from './lexer.ts';
import { Cursor, Scope } from './scope.ts';
import { readTemplate } from './statements.ts';
import {
  type Call,
  Callable,
  fail,
  integerOf,
  itemsOf,
  type Keywords,
  Namespace,
  text,
  textOf,
  toValue,
  type Value,
  viewOf,
} from './values.ts';
import { beginWork, work } from './work.ts';

/** UTF-16 units of the longest template; published ones have some thousand. */
const longestTemplate = 500_000;

/** Longest range, as in jinja2's sandbox. */
const longestRange = 100_000;

function range([start, stop, step = 1]: readonly Value[]): Value {
  const [from, to] = stop === undefined ? [0, integerOf(start)] : [integerOf(start), integerOf(stop)];
  const by = integerOf(step);
  if (by === 0) fail('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > longestRange) fail(`Range too big. The sandbox blocks ranges larger than MAX_RANGE (${longestRange}).`);
  work(length);
  const items = Array.from({ length }, (_, i) => from + i * by);
  return viewOf('range', items, [from, to, by]);
}

function fieldsOf([source]: readonly Value[], keywords: Keywords): Map<string, Value> {
  const fields = new Map<string, Value>();
  if (source instanceof Map) for (const [key, value] of source) fields.set(textOf(key), value);
  else if (source !== undefined)
    for (const pair of itemsOf(source)) {
      const [key, value] = itemsOf(pair);
      fields.set(textOf(key), value);
    }
  for (const [key, value] of keywords) fields.set(key, value);
  return fields;
}

function joiner([separator = ', ']: readonly Value[]): Callable {
  let used = false;
  return new Callable(() => {
    const first = !used;
    used = true;
    return first ? '' : separator;
  });
}

const globals: { readonly [name: string]: Call } = {
  range,
  namespace: (args, keywords) => new Namespace(fieldsOf(args, keywords)),
  dict: (args, keywords) => new Map<Value, Value>(fieldsOf(args, keywords)),
  joiner,
  raise_exception: ([message]) => fail(text(message)),
};

export class JinjaTemplate {
  private readonly run: (scope: Scope) => string;

  /** Throws JinjaSyntaxError or JinjaError for a template that cannot be read. */
  constructor(source: string) {
    if (source.length > longestTemplate)
      fail(`it has ${source.length} characters, and at most ${longestTemplate} are read`);
    const cursor = new Cursor(tokensOf(source));
    this.run = readTemplate(cursor);
  }

  /** `functions` are further globals, of texts. Throws JinjaError if the template refuses the values. */
  render(values: object, functions: { readonly [name: string]: (argument: string) => string } = {}): string {
    beginWork();
    const scope = new Scope();
    for (const [name, call] of Object.entries(globals)) scope.set(name, new Callable(call));
    for (const [name, call] of Object.entries(functions))
      scope.set(name, new Callable(([argument]) => call(textOf(argument))));
    for (const [name, value] of Object.entries(values)) scope.set(name, toValue(value));
    return this.run(new Scope(scope));
  }
}
