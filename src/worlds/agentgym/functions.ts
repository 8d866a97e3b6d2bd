/**
 * Parses actions written as function calls: a JSON object that names a function, or one call in Python. Three of the
 * original's clients accept them (WebShop, AlfWorld, ScienceWorld: agentenv/envs in github.com/WooooDyy/AgentGym, MIT).
 * The original evaluates the Python; here only one call with literal arguments is parsed, and nothing is run. An
 * invalid call is refused and the last observation repeated, as in the original.
 */
import { type Reply, type ReplyRule, strip, withoutEnd } from '../../envs/reply.ts';

export interface ActionFunction {
  /** Argument names in JSON, in order. */
  args: readonly string[];
  /** Minimum number of arguments of a Python call. Default: all. */
  minArgs?: number;
  /** Argument names in Python, if they differ. */
  pythonArgs?: readonly string[];
  /** Converts a call to an action, or returns undefined if it is invalid. */
  write(args: readonly string[]): string | undefined;
  /** Description of the function in the instruction. */
  description: string;
}

export type FunctionTable = { readonly [name: string]: ActionFunction };

/** Function whose action is `VERB`, `VERB first` or `VERB first JOIN second`. */
export const acting = (verb: string, args: readonly string[], description: string, join?: string): ActionFunction => ({
  args,
  description,
  write([first, second]) {
    if (first === undefined) return verb;
    if (second === undefined) return `${verb} ${first}`;
    return join === undefined ? undefined : `${verb} ${first} ${join} ${second}`;
  },
});

const invalid: Reply = { action: '', refusal: 'Invalid Action.\n\n', again: true };

/** Formats a value like Python's f-strings. */
function formatValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parses JSON like Python with `strict=False`: strings may contain raw line feeds and tabs. */
function looseJson(text: string): unknown {
  const escaped = text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, (quoted) =>
    quoted.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
  return JSON.parse(escaped);
}

function calledInJson(text: string, table: FunctionTable): string | undefined {
  const inside = text.slice(text.indexOf('{') + 1);
  const end = inside.lastIndexOf('}');
  const call = looseJson(`{${end < 0 ? inside : inside.slice(0, end)}}`) as { [key: string]: unknown };
  if (!('thought' in call)) return undefined;
  const name = strip(call.function_name as string);
  const given = call.arguments as { [name: string]: unknown };
  if (!Object.hasOwn(table, name) || typeof given !== 'object' || given === null) return undefined;
  const { args, write } = table[name];
  const count = Math.min(Object.keys(given).length, 2);
  const taken = args.slice(0, count);
  if (taken.length < count || taken.some((arg) => !Object.hasOwn(given, arg))) return undefined;
  return write(taken.map((arg) => formatValue(given[arg])));
}

/** Accepts `{"thought": ..., "function_name": ..., "arguments": {...}}` with any text around it. */
const functionCalling =
  (table: FunctionTable): ReplyRule =>
  (text) => {
    try {
      const action = calledInJson(withoutEnd(text), table);
      return action === undefined ? invalid : { action };
    } catch {
      return invalid;
    }
  };

/** Removes the fence of a code block. */
function codeOf(reply: string): string {
  let text = strip(reply);
  if (text.startsWith('```')) text = text.slice(text.indexOf('\n') + 1);
  if (text.endsWith('```')) text = text.slice(0, Math.max(0, text.lastIndexOf('\n')));
  return text;
}

/** Spaces, line feeds and comments. */
const gap = /(?:\s|#[^\n]*(?:\n|$))*/y;
const word = /[A-Za-z_]\w*/y;
const literal =
  /(?:[rR])?(?:"""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|[+-]?\d+(?:\.\d+)?/sy;
const escapes: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

function literalValue(source: string): string {
  if (/^[+-]?\d/.test(source)) return String(Number(source));
  const raw = /^[rR]/.test(source);
  const quoted = raw ? source.slice(1) : source;
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const inside = quoted.slice(width, -width);
  if (raw) return inside;
  return inside.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gis, (whole, two, four, letter) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(two ?? four, 16)) : (escapes[letter] ?? whole),
  );
}

/**
 * Parses a single call with literal arguments into the function's name and its positional and named arguments. Returns
 * null for any other code.
 */
function readCall(code: string): { name: string; args: string[]; named: Map<string, string> } | null {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(code);
    if (found) at = pattern.lastIndex;
    return found ? found[0] : null;
  };
  const sign = (character: string) => {
    take(gap);
    if (code[at] !== character) return false;
    at++;
    return true;
  };
  take(gap);
  const name = take(word);
  if (!name || !sign('(')) return null;
  const call = { name, args: [] as string[], named: new Map<string, string>() };
  while (!sign(')')) {
    if (call.args.length + call.named.size > 0 && (!sign(',') || sign(')')))
      return code[at - 1] === ')' ? ended() : null;
    take(gap);
    const key = take(word);
    if (key && !sign('=')) return null;
    take(gap);
    const value = take(literal);
    if (value === null || (!key && call.named.size > 0)) return null;
    if (key) call.named.set(key, literalValue(value));
    else call.args.push(literalValue(value));
  }
  return ended();

  function ended() {
    take(gap);
    return at === code.length ? call : null;
  }
}

function calledInPython(text: string, table: FunctionTable): string | undefined {
  const call = readCall(codeOf(withoutEnd(text)));
  if (!call || !Object.hasOwn(table, call.name)) return undefined;
  const { args, minArgs = args.length, pythonArgs = args, write } = table[call.name];
  const given = pythonArgs.map((name, k) => call.args[k] ?? call.named.get(name));
  const known = [...call.named.keys()].every((name) => pythonArgs.indexOf(name) >= call.args.length);
  const count = given.findLastIndex((value) => value !== undefined) + 1;
  if (!known || call.args.length > pythonArgs.length || count < minArgs) return undefined;
  const taken = given.slice(0, count);
  if (taken.some((value) => value === undefined)) return undefined;
  return write(taken.filter((value, k) => k < minArgs || value) as string[]);
}

/** Accepts a block of Python with one call and comments: `# thought`, `search("lamp")`. */
const codeAsAction =
  (table: FunctionTable): ReplyRule =>
  (text) => {
    const action = calledInPython(text, table);
    return action === undefined ? invalid : { action };
  };

const listOf = (table: FunctionTable) =>
  Object.entries(table)
    .map(([name, { args, description }]) => `- ${name}(${args.join(', ')}): ${description}`)
    .join('\n');

/** Both function formats of a kind. `what` is the part of the instruction before the list of functions. */
export const functionFormats = (what: string, table: FunctionTable) => ({
  function_calling: {
    reply: functionCalling(table),
    instruction:
      `${what}\nYou act by naming one of these functions, with its arguments:\n${listOf(table)}\n` +
      'Answer with one JSON object and nothing else, in this form:\n' +
      '{"thought": "your thoughts", "function_name": "name", "arguments": {"argument": "value"}}\n',
  },
  code_as_action: {
    reply: codeAsAction(table),
    instruction:
      `${what}\nYou act by calling one of these Python functions:\n${listOf(table)}\n` +
      'Answer with one block of Python and nothing else: your thoughts as a comment, then one call, as in:\n' +
      '```python\n# your thoughts\nname("value")\n```\n',
  },
});
