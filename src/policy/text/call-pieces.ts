/**
 * Pieces of a conversation in which the assistant calls tools, derived from a chat template like those of a plain one
 * (`chat-template.ts`): by rendering conversations of marks and reading the text between the marks.
 */
import {
  type ChatMessage,
  type ChatPieces,
  type ChatTemplate,
  ChatTemplateError,
  commonText,
  quoted,
  trimsLast,
} from './chat-template.ts';

export interface CallPieces {
  /** Before the first user's message: the start token, the system's message with the tools, the user's header. */
  beforeFirstUser: string;
  /** Between the first user's message and the assistant's reply. */
  beforeReply: string;
  /** Between the assistant's reply and the result of its call. Begins with the token that closes a turn. */
  beforeResult: string;
  /** Between a result and the assistant's next reply. */
  afterResult: string;
  /** True if the template trims a user's message, or a result. */
  trimsUser: boolean;
  trimsResults: boolean;
}

interface Tool {
  function: { name: string };
}

interface CallOptions {
  thinking?: boolean;
  tools: readonly Tool[];
  /** The template's pieces without tools. */
  plain: ChatPieces;
  /** Text of the token that closes a turn. */
  closing: string;
}

/** Marks that no template treats specially. */
const userMark = '<<mark of user>>';
const argumentMark = (turn: number) => `mark of argument ${turn}`;
const resultMark = (turn: number) => `<<mark of result ${turn}>>`;

const remedy = 'Switch off "Calls by the chat template", or choose another model.';

const call = (name: string, given: object, content = ''): ChatMessage => ({
  role: 'assistant',
  content,
  // Nine letters and digits, as Mistral's template demands.
  tool_calls: [{ type: 'function', id: 'call00001', function: { name, arguments: given } }],
});

/** Conversation with so many calls and their results, of which the last one waits for a reply. */
function markedCalls(turns: number, { tools }: CallOptions): ChatMessage[] {
  const [{ function: tool }] = tools;
  const answered = Array.from({ length: turns }, (_, k): ChatMessage[] => [
    call(tool.name, { given: argumentMark(k) }),
    { role: 'tool', content: resultMark(k) },
  ]);
  return [{ role: 'user', content: userMark }, ...answered.flat()];
}

/** The text before a mark and the text after it. Throws unless the mark is there exactly once. */
function around(text: string, mark: string): [before: string, after: string] {
  const parts = text.split(mark);
  if (parts.length === 2) return [parts[0], parts[1]];
  throw new ChatTemplateError(
    `This chat template writes a text of a conversation with calls ${parts.length - 1} times instead of once (${quoted(text)}). ${remedy}`,
  );
}

interface Rendered {
  beforeFirstUser: string;
  /** From the closing of each call to its result. */
  beforeResults: string[];
  /** Behind the last message. */
  tail: string;
}

function rendered(render: (messages: readonly ChatMessage[]) => string, turns: number, options: CallOptions): Rendered {
  let [beforeFirstUser, rest] = around(render(markedCalls(turns, options)), userMark);
  const beforeResults: string[] = [];
  for (let k = 0; k < turns; k++) {
    const [, afterCall] = around(rest, argumentMark(k));
    const [between, next] = around(afterCall, resultMark(k));
    const end = between.indexOf(options.closing);
    if (end < 0)
      throw new ChatTemplateError(
        `This chat template does not close a call with ${JSON.stringify(options.closing)} (it continues with ${quoted(between)}). ${remedy}`,
      );
    beforeResults.push(between.slice(end));
    rest = next;
  }
  return { beforeFirstUser, beforeResults, tail: rest };
}

const same = (what: string, places: readonly string[]) => commonText(what, places, remedy);

/** Derives the pieces from conversations with none, one, two and three calls. Throws if the template lacks a tool. */
export function deriveCallPieces(template: ChatTemplate, options: CallOptions): CallPieces {
  const { thinking, tools } = options;
  const render = (messages: readonly ChatMessage[]) =>
    template.render(messages, { addGenerationPrompt: true, thinking, tools });
  const all = [0, 1, 2, 3].map((turns) => rendered(render, turns, options));
  const pieces = {
    beforeFirstUser: same(
      'before the first message',
      all.map((each) => each.beforeFirstUser),
    ),
    beforeReply: all[0].tail,
    beforeResult: same(
      'between a call and its result',
      all.flatMap((each) => each.beforeResults),
    ),
    afterResult: same(
      'behind a result',
      all.slice(1).map(({ tail }) => tail),
    ),
  };
  const absent = tools.find(({ function: { name } }) => !pieces.beforeFirstUser.includes(name));
  if (absent)
    throw new ChatTemplateError(
      `This chat template does not list the tool ${absent.function.name} before the first message, so that the model could not know it. ${remedy}`,
    );
  const trims = (turns: number): boolean => {
    const found = trimsLast(render, markedCalls(turns, options));
    if (found !== null) return found;
    throw new ChatTemplateError(`This chat template changes the whitespace inside a message of the world. ${remedy}`);
  };
  return { ...pieces, trimsUser: trims(0), trimsResults: trims(1) };
}

/** The assistant's text of a call after the given words, as the template writes it. */
export function callText(
  template: ChatTemplate,
  { name, arguments: given }: { name: string; arguments: object },
  { plain, closing, tools }: CallOptions,
  content = '',
): string {
  const messages = [{ role: 'user' as const, content: userMark }, call(name, given, content)];
  // The result follows, because some templates write calls without one differently.
  const whole = template.render([...messages, { role: 'tool', content: resultMark(0) }], {
    addGenerationPrompt: true,
    tools,
  });
  const [, reply] = around(around(whole, resultMark(0))[0], userMark);
  const end = reply.lastIndexOf(closing);
  // A template may write an empty thought before every reply, which is then part of the prompt.
  const start = [plain.beforeReply, plain.beforeShownReply].find((piece) => reply.startsWith(piece))?.length ?? end + 1;
  if (end >= start && reply.includes(name)) return reply.slice(start, end);
  throw new ChatTemplateError(`This chat template does not write a call as a reply (${quoted(reply)}). ${remedy}`);
}
