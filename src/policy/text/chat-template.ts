/**
 * Chat template of a language model (the Jinja text of its `tokenizer_config.json`), and the pieces of a turn derived
 * from it. The pieces are derived once, by rendering conversations of marks and reading the text between the marks.
 *
 * Depends on messages and text only, never on tokens, worlds or rewards. The pieces are put around the policy's exact
 * output, so a reply is never rendered again: templates that drop the thoughts of earlier turns (Qwen3) or trim them
 * (Llama 3) cannot change it. The date is fixed, so that a run has the same prompt on any day.
 */
import { JinjaTemplate } from './jinja/template.ts';
import { fail } from './jinja/work.ts';

export interface ChatMessage {
  /** A `tool` message is the result of a call. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Calls of an assistant's message, in OpenAI's form with the arguments as an object. */
  tool_calls?: readonly ChatToolCall[];
}

interface ChatToolCall {
  type: 'function';
  id?: string;
  function: { name: string; arguments: object };
}

export interface RenderOptions {
  /** Ends the text where the assistant's reply begins. */
  addGenerationPrompt: boolean;
  /** Enables Qwen3's visible thinking. Default: false. */
  thinking?: boolean;
  /** Tools that the template lists, in OpenAI's form. Default: none. */
  tools?: readonly object[];
}

/** Text around the messages of a conversation. */
export interface ChatPieces {
  /** Before the first user's message: the start token, the system's message, the user's header. */
  beforeFirstUser: string;
  /**
   * Between a user's message and the assistant's reply. For Qwen3 without thinking it includes an empty think block.
   */
  beforeReply: string;
  /** The same for a given reply, such as an example at the start, instead of a sampled one. */
  beforeShownReply: string;
  /** Between the assistant's reply and the next user's message. Begins with the token that closes a turn. */
  betweenTurns: string;
  /** True if the template trims a user's message. */
  trimsUser: boolean;
}

/** Thrown for a chat template that cannot be used. Describes the problem and the remedy. */
export class ChatTemplateError extends Error {
  override name = 'ChatTemplateError';
}

/** Fallback date of Llama 3.2's template. */
const fixedDate = new Date(Date.UTC(2024, 6, 26));
const fixedDateString = '26 Jul 2024';
const months = 'January February March April May June July August September October November December'.split(' ');

/** Python's strftime for the fixed date, always in English. */
function fixedStrftime(format: string): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const month = months[fixedDate.getUTCMonth()];
  const parts: { [code: string]: string } = {
    Y: String(fixedDate.getUTCFullYear()),
    m: two(fixedDate.getUTCMonth() + 1),
    d: two(fixedDate.getUTCDate()),
    B: month,
    b: month.slice(0, 3),
    y: '24',
    e: '26',
    j: '208',
    H: '00',
    I: '12',
    M: '00',
    S: '00',
    p: 'AM',
    A: 'Friday',
    a: 'Fri',
    u: '5',
    w: '5',
    D: '07/26/24',
    F: '2024-07-26',
    T: '00:00:00',
    R: '00:00',
    Z: '',
    z: '',
    '%': '%',
  };
  // A minus, as glibc has it, drops zeros before a number.
  return format.replace(/%(-?)([\s\S]?)/g, (whole, minus, code) => {
    if (!Object.hasOwn(parts, code)) fail(`the date format ${whole} is not read`);
    return minus ? parts[code].replace(/^0+(?=\d)/, '') : parts[code];
  });
}

/** Longest reason of a refusal, which a template may write itself. */
const longestReason = 1000;

/** Reason of a template's failure. An engine's own errors are of its stack or of a text that grew too long. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (!name.startsWith('Jinja')) return 'it nests too deep, or grows too large';
  return message.length > longestReason ? `${message.slice(0, longestReason)}...` : message;
}

export class ChatTemplate {
  private constructor(
    private readonly template: JinjaTemplate,
    /** Special tokens by template variable: `bos_token` and the like. */
    private readonly specialTokens: { readonly [name: string]: string },
  ) {}

  static async open(source: string, specialTokens: { readonly [name: string]: string } = {}): Promise<ChatTemplate> {
    try {
      return new ChatTemplate(new JinjaTemplate(source), specialTokens);
    } catch (error) {
      throw new ChatTemplateError(`This chat template cannot be read: ${reasonOf(error)}.`);
    }
  }

  render(messages: readonly ChatMessage[], { addGenerationPrompt, thinking = false, tools }: RenderOptions): string {
    const values = {
      ...this.specialTokens,
      messages,
      // As in transformers, a template sees None without tools or documents.
      tools: tools?.length ? tools : null,
      documents: null,
      add_generation_prompt: addGenerationPrompt,
      enable_thinking: thinking,
      date_string: fixedDateString,
    };
    try {
      return this.template.render(values, { strftime_now: fixedStrftime });
    } catch (error) {
      throw new ChatTemplateError(`This chat template refuses a conversation: ${reasonOf(error)}`);
    }
  }
}

/** Placeholder text that no template treats specially and that trimming leaves unchanged. */
const mark = (role: 'user' | 'assistant', turn: number) => `<<mark of ${role} ${turn}>>`;

/** Conversation with `turns` user messages, the last one unanswered. */
function markedConversation(turns: number): ChatMessage[] {
  return Array.from({ length: 2 * turns - 1 }, (_, i) => {
    const role = i % 2 ? 'assistant' : 'user';
    return { role, content: mark(role, Math.floor(i / 2)) };
  });
}

/** Pieces before, between and after the messages. */
function piecesAround(text: string, messages: readonly ChatMessage[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const { role, content } of messages) {
    const parts = rest.split(content);
    if (parts.length !== 2) {
      const times = parts.length - 1;
      throw new ChatTemplateError(
        `This chat template ${times === 0 ? `leaves out a message of the ${role}` : `repeats a message of the ${role} ${times} times`} ` +
          `in a conversation of ${messages.length}: the pieces of a turn cannot be derived from it. ` +
          (times === 0 ? 'Templates for images take messages in parts, and no texts. ' : '') +
          'Give the model another template (tokenizer_config.json, chat_template).',
      );
    }
    pieces.push(parts[0]);
    rest = parts[1];
  }
  return [...pieces, rest];
}

/** A text in an error, cut after 160 characters. */
export const quoted = (text: string) => JSON.stringify(text.length > 160 ? `${text.slice(0, 157)}...` : text);

/** Returns the text common to all places of one kind. Throws if the template varies it. */
export function commonText(
  what: string,
  places: readonly string[],
  remedy = 'Give the model another template.',
): string {
  const other = places.find((text) => text !== places[0]);
  if (other === undefined) return places[0];
  throw new ChatTemplateError(
    `In this chat template the text ${what} depends on other turns: it is ${quoted(places[0])} in one place and ` +
      `${quoted(other)} in another. Such a conversation cannot be extended turn by turn. ${remedy}`,
  );
}

/** Derives the pieces from conversations of one, two and three turns, and checks that they reproduce all three. */
export function derivePieces(template: ChatTemplate, { thinking = false } = {}): ChatPieces {
  const render = (messages: readonly ChatMessage[]) =>
    template.render(messages, { addGenerationPrompt: true, thinking });
  const renderings = [1, 2, 3].map((turns) =>
    piecesAround(render(markedConversation(turns)), markedConversation(turns)),
  );
  const inner = renderings.flatMap((pieces) => pieces.slice(1, -1));
  const beforeReply = commonText(
    'before a reply',
    renderings.map((pieces) => pieces.at(-1)!),
  );
  const beforeShownReply = commonText(
    'before an earlier reply',
    inner.filter((_, i) => i % 2 === 0),
  );
  if (!beforeReply.startsWith(beforeShownReply)) {
    throw new ChatTemplateError(
      `This chat template opens a reply with ${quoted(beforeReply)}, but shows an earlier one after ${quoted(beforeShownReply)}: ` +
        'the prompt of a reply would differ from its place in the later conversation. Give the model another template.',
    );
  }
  return {
    beforeFirstUser: commonText(
      'before the first message',
      renderings.map((pieces) => pieces[0]),
    ),
    beforeReply,
    beforeShownReply,
    betweenTurns: commonText(
      'between a reply and the next message',
      inner.filter((_, i) => i % 2 === 1),
    ),
    trimsUser: trimsUser(render),
  };
}

/** True if the template trims the last message; null if it changes the whitespace in another way. */
export function trimsLast(
  render: (messages: readonly ChatMessage[]) => string,
  messages: readonly ChatMessage[],
): boolean | null {
  const last = messages[messages.length - 1];
  const padded = ` \n${last.content}\n `;
  const plain = render(messages);
  const shown = render([...messages.slice(0, -1), { ...last, content: padded }]);
  if (shown === plain) return true;
  return shown === plain.replace(last.content, () => padded) ? false : null;
}

function trimsUser(render: (messages: readonly ChatMessage[]) => string): boolean {
  const trims = trimsLast(render, markedConversation(1));
  if (trims !== null) return trims;
  throw new ChatTemplateError(
    "This chat template changes the whitespace inside a user's message: the model would read a text other than the world's. " +
      'Give the model another template.',
  );
}
