/** Parses the body of `POST /v1/chat/completions`. An unsupported field is refused by name rather than ignored. */
import * as v from 'valibot';
import { brief, parseMessage } from '../messages.ts';
import { type ChatMessage, ChatRequestError } from './chat-model.ts';
import { refuseInMessages, refuseUnsupported } from './request-fields.ts';

const TextPart = v.object({ type: v.literal('text', 'only parts of type text are supported'), text: v.string() });
const MessageSchema = v.object({
  role: v.picklist(['system', 'developer', 'user', 'assistant'], 'must be system, user or assistant'),
  content: v.union([v.string(), v.array(TextPart)], 'must be a string, or parts of type text'),
});
const mark = v.pipe(v.string(), v.nonEmpty('must not be empty'));

const BodySchema = v.object({
  model: v.string('must name the model: GET /v1/models lists it'),
  messages: v.pipe(v.array(MessageSchema), v.nonEmpty('must contain at least one message')),
  temperature: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2)), 1),
  max_tokens: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  max_completion_tokens: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  stop: v.nullish(v.union([mark, v.pipe(v.array(mark), v.maxLength(4, 'must be at most four'))])),
  n: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(128)), 1),
  seed: v.nullish(v.pipe(v.number(), v.safeInteger('must be a whole number within 2^53'))),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(
    v.strictObject(
      {
        include_usage: v.optional(v.boolean(), false),
        // Random padding, which hides the lengths of pieces from eavesdroppers; none is sent.
        include_obfuscation: v.optional(v.boolean()),
        continuous_usage_stats: v.optional(v.literal(false, 'must be false')),
      },
      'must be an object with include_usage',
    ),
  ),
  // Named as in vLLM.
  guided_choice: v.nullish(v.pipe(v.array(mark), v.nonEmpty('must contain at least one choice'), v.maxLength(10_000))),
});

const supported: ReadonlySet<string> = new Set(Object.keys(BodySchema.entries));

export interface ChatBody {
  model: string;
  messages: ChatMessage[];
  temperature: number;
  maxTokens: number | null;
  stop: string[];
  n: number;
  seed: number | null;
  choices: string[] | null;
  stream: boolean;
  includeUsage: boolean;
}

function parse(bytes: Buffer | undefined): { [name: string]: unknown } {
  let value: unknown;
  try {
    value = parseMessage(String(bytes ?? ''));
  } catch (error) {
    throw new ChatRequestError(`We could not parse the JSON body of your request: ${(error as Error).message}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ChatRequestError('The body of the request must be a JSON object.');
  return value as { [name: string]: unknown };
}

const textOf = (content: v.InferOutput<typeof MessageSchema>['content']) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');

export function readChatBody(bytes: Buffer | undefined): ChatBody {
  const given = parse(bytes);
  refuseUnsupported(given, supported);
  refuseInMessages(given.messages);
  const read = v.safeParse(BodySchema, given, { abortEarly: true });
  if (!read.success) {
    const [issue] = read.issues;
    const path = v.getDotPath(issue) ?? 'body';
    throw new ChatRequestError(`Invalid '${path}': ${brief(issue.message)}.`, path, 'invalid_value');
  }
  const { model, messages, temperature, max_tokens, max_completion_tokens, stop, n, seed, stream } = read.output;
  return {
    model,
    messages: messages.map(({ role, content }) => ({
      role: role === 'developer' ? 'system' : role,
      content: textOf(content),
    })),
    temperature: temperature ?? 1,
    maxTokens: max_completion_tokens ?? max_tokens ?? null,
    stop: [stop ?? []].flat(),
    n: n ?? 1,
    seed: seed ?? null,
    choices: read.output.guided_choice ?? null,
    stream: stream ?? false,
    includeUsage: read.output.stream_options?.include_usage ?? false,
  };
}
