/**
 * Calls of tools as language models write them in text: Mistral's, DeepSeek's and Kimi's marks, Llama's
 * `<|python_tag|>`, Qwen3-Coder's and GLM's tags, and JSON in a fence. Worlds read the one form that these are brought
 * into: JSON with `name` and `arguments`.
 */

interface WrittenCall {
  name: string;
  /** Text of JSON. */
  arguments: string;
}

const before = (text: string, end: string): string => text.split(end, 1)[0];
const after = (text: string, start: string): string => text.slice(text.indexOf(start) + start.length);
/** The texts behind each mark, up to its end. */
const each = (text: string, start: string, end: string): string[] =>
  text
    .split(start)
    .slice(1)
    .map((part) => before(part, end));

const nameIn = (text: string): string => text.trim().replace(/^functions\./, '');
const fromTexts = (entries: readonly (readonly [string, string])[]): string =>
  JSON.stringify(Object.fromEntries(entries.map(([key, value]) => [key.trim(), value.replace(/^\n|\n$/g, '')])));

/** Values of tags: `head` begins one, `mark` ends its key. */
const taggedArguments = (text: string, head: string, mark: string): string =>
  fromTexts(each(text, head, '</parameter>').map((part) => [before(part, mark), after(part, '>')]));

function fromMistral(text: string): WrittenCall[] | string {
  const [first] = each(text, '[TOOL_CALLS]', '\0');
  if (/^\s*[[{]/.test(first)) return before(first, '</s>').trim();
  return each(text, '[TOOL_CALLS]', '[TOOL_CALLS]').map((part) => {
    const name = before(before(before(part, '{'), '[ARGS]'), '[CALL_ID]');
    return { name: nameIn(name), arguments: before(part.slice(part.indexOf('{')), '</s>') };
  });
}

const fromDeepSeek = (text: string): WrittenCall[] =>
  each(text, '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>').map((part) => {
    const [head, body = ''] = part.split('<｜tool▁sep｜>');
    const [line, fenced] = body.split('```');
    return fenced === undefined
      ? { name: nameIn(head), arguments: body }
      : { name: nameIn(line), arguments: fenced.replace(/^json/, '') };
  });

const fromKimi = (text: string): WrittenCall[] =>
  each(text, '<|tool_call_begin|>', '<|tool_call_end|>').map((part) => ({
    name: before(nameIn(before(part, '<|tool_call_argument_begin|>')), ':'),
    arguments: after(part, '<|tool_call_argument_begin|>'),
  }));

const fromFunctionTags = (text: string): WrittenCall[] =>
  each(text, '<function=', '</function>').map((part) => {
    const body = after(part, '>').trim();
    const given = body.startsWith('{') ? body : taggedArguments(body, '<parameter=', '>');
    return { name: nameIn(before(part, '>')), arguments: given };
  });

const fromInvocations = (text: string): WrittenCall[] =>
  each(text, '<invoke name="', '</invoke>').map((part) => ({
    name: nameIn(before(part, '"')),
    arguments: taggedArguments(part, '<parameter name="', '"'),
  }));

const fromGlm = (text: string): WrittenCall[] =>
  each(text, '<tool_call>', '</tool_call>').map((part) => ({
    name: nameIn(before(part, '<arg_key>')),
    arguments: fromTexts(
      each(part, '<arg_key>', '<arg_key>').map((pair) => [
        before(pair, '</arg_key>'),
        before(after(pair, '<arg_value>'), '</arg_value>'),
      ]),
    ),
  }));

/** Forms by their mark: a token of its own, or a tag that begins a line or follows one. They give calls, or JSON. */
const forms: readonly (readonly [mark: RegExp, read: (text: string) => WrittenCall[] | string])[] = [
  [/\[TOOL_CALLS\]/, fromMistral],
  [/<｜tool▁call▁begin｜>/, fromDeepSeek],
  [/<\|tool_call_begin\|>/, fromKimi],
  [/(^|>)<function=/m, fromFunctionTags],
  [/(^|>)<invoke name="/m, fromInvocations],
  [/<tool_call>[^{<]*<arg_key>/, fromGlm],
  [/<\|python_tag\|>/, (text) => after(text, '<|python_tag|>').trim()],
  [/^<function_call>/m, (text) => before(after(text, '<function_call>'), '</function_call>').trim()],
  [/^```json/m, (text) => before(after(text, '```json'), '```').trim()],
];

/** AgentGym's form, in whose arguments any text may stand. */
const agentGymMark = 'with Action Input:';

/** The form of a text. A mark behind a brace belongs to an argument. */
const formOf = (text: string) =>
  text.includes(agentGymMark) ? undefined : forms.find(([mark]) => mark.test(before(text, '{')));

/** A list of JSON with one entry is that entry, one with several is refused by the world. */
const alone = (json: string): string => (json.startsWith('[') && json.endsWith(']') ? `{"tool_calls": ${json}}` : json);

/** A text with calls in one of these forms as JSON: one call, or a list `tool_calls`. Another text is unchanged. */
export function withPlainCalls(text: string): string {
  const found = formOf(text)?.[1](text);
  if (found === undefined) return /^\s*\[\s*\{/.test(text) ? alone(text.trim()) : text;
  if (typeof found === 'string') return /^[[{]/.test(found) ? alone(found) : text;
  const written = found.map(
    ({ name, arguments: given }) => `{"name": ${JSON.stringify(name)}, "arguments": ${given.trim() || '{}'}}`,
  );
  return written.length === 1 ? written[0] : `{"tool_calls": [${written.join(', ')}]}`;
}
