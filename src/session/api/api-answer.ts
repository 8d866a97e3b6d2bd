/**
 * Reads one answer of an OpenAI-compatible server: a reply, an empty reply with its reason, or an error and what follows
 * from it.
 */
import type { ChatCall } from '../../rl/episode/chat-episode.ts';
import { argumentsText } from '../../trajectories/files/tool-calls.ts';
import { isEventStream, wholeAnswer } from './event-stream.ts';
import { type Fault, faultOf, oneLine, parsed } from './fault.ts';
import {
  hasNoRoom,
  isFiltered,
  lacksCredit,
  mayPass,
  type OptionalField,
  type RefusedFields,
  refusedFields,
  remedyFor,
} from './fault-kinds.ts';
import { statedWaitMs } from './waits.ts';

/** Reason for a reply without text. */
export type EmptyReason = 'length' | 'refusal' | 'tool' | 'filter' | 'reasoning' | 'none';

export type Outcome =
  | { kind: 'reply'; text: string; calls: readonly ChatCall[]; empty: EmptyReason | null }
  | { kind: 'no-room'; words: string }
  | ({ kind: 'refused'; words: string } & RefusedFields)
  /** The same request may succeed later; `afterMs`: after this pause, if the server states one. */
  | { kind: 'later'; words: string; afterMs: number | null }
  | { kind: 'failed'; words: string; remedy: string };

interface Choice {
  message?: {
    content?: unknown;
    refusal?: unknown;
    tool_calls?: unknown;
    function_call?: unknown;
    reasoning_content?: unknown;
    reasoning?: unknown;
  } | null;
  text?: unknown;
  finish_reason?: unknown;
  error?: unknown;
}

/** Values of `finish_reason` of a reply that the server broke off (OpenRouter, vLLM, DeepSeek, Zhipu). */
const brokenOff: ReadonlySet<unknown> = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);
const filtered = /^(content[_-]filter|sensitive|safety|prohibited_content|recitation|blocklist|spii)$/i;
/** Gemini's, Anthropic's and Mistral's names of `length`. */
const cutOff = /^(length|max_(output_)?tokens|model_length)$/i;

/** A text, a list of parts, of which the texts count, or nothing; undefined: something else. */
function textOf(content: unknown): string | undefined {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part) => textOf(part) ?? '').join('');
  const { type = 'text', text } = content as { type?: unknown; text?: unknown };
  if (typeof content !== 'object') return undefined;
  return typeof text === 'string' && typeof type === 'string' && /^(output_)?text$/.test(type) ? text : '';
}

const thoughtTag =
  /<(\/?)(?:(?:seed:|mm:|longcat_)?think|thinking|thought|reasoning)>|<\|(?:START|(END))_THINKING\|>|\[(\/?)THINK\]|◁(\/?)think▷|<\|(?:begin|(end))_of_thought\|>|<(?:\|channel>thought|(channel)\|>)|<unused9(?:4|(5))>/g;

/** Sky-T1's and Cohere's marks around a reply. */
const solution = /^\s*<\|(?:begin_of_solution|START_RESPONSE)\|>|<\|(?:end_of_solution|END_RESPONSE)\|>\s*$/g;

/** The channels of gpt-oss, of which `final` is the reply. */
const channel =
  /(?:<\|start\|>assistant)?<\|channel\|>(analysis|commentary|final)(?:[^<]|<\|constrain\|>)*<\|message\|>/g;
const endOfMessage = /<\|(?:end|return|call)\|>/;
/** The same where a server leaves out the special tokens between the words. */
const bareChannels = /^\s*analysis[\s\S]*?assistantfinal/;

/**
 * The reply after its reasoning, where a server leaves that in the text between marks (`<think>`, `[THINK]`, gpt-oss's
 * channels). The opening mark may be part of the prompt, so that only the closing one is in the reply. Reasoning that was
 * cut off has no reply, also where it begins anew after one.
 */
export function withoutReasoning(text: string): string {
  const channels = [...text.matchAll(channel)];
  if (channels[0]?.index === text.length - text.trimStart().length) {
    const final = channels.find(([, name]) => name === 'final');
    return final ? text.slice(final.index + final[0].length).split(endOfMessage)[0] : '';
  }
  if (bareChannels.test(text)) return text.replace(bareChannels, '');
  const tags = [...text.matchAll(thoughtTag)].map((tag) => ({
    closes: tag.slice(1).some(Boolean),
    start: tag.index,
    end: tag.index + tag[0].length,
  }));
  let k = tags.findLastIndex(({ closes }) => closes);
  const begins = text.trimStart() === '' ? false : tags[0]?.start === text.length - text.trimStart().length;
  if (k < 0) return begins ? '' : text;
  if (!begins && !tags[0].closes) return text;
  const between = () => text.slice(tags[k].end, tags[k + 1]?.start);
  // A mark at the end that closes nothing, as some models repeat it.
  while (between().trim() === '' && tags[k - 1]?.closes) k--;
  return between().replace(solution, '').trimStart();
}

const hasCalls = ({ tool_calls: calls, function_call: call }: NonNullable<Choice['message']>) =>
  (Array.isArray(calls) && calls.length > 0) || Boolean(call);

/** Longest id of a call that is kept: it is sent back with each further request. */
const mostId = 200;

/**
 * Calls with a name, in OpenAI's form. Some servers leave out the id or the arguments, give these as an object, or write
 * the name beside the id. An older form has one call, `function_call`.
 */
function callsOf(message: Choice['message']): ChatCall[] {
  const listed = Array.isArray(message?.tool_calls) ? (message.tool_calls as unknown[]) : [];
  const list = listed.length || !message?.function_call ? listed : [{ function: message.function_call }];
  return list.flatMap((call, k): ChatCall[] => {
    const { id: own, function: inner } = (call ?? {}) as { id?: unknown; function?: unknown };
    const { name, arguments: given } = (inner ?? call ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== 'string') return [];
    const id = typeof own === 'string' && own !== '' && own.length <= mostId ? own : `call_${k}`;
    return [{ id, type: 'function', function: { name, arguments: argumentsText(given) } }];
  });
}

function emptyReason({ message, finish_reason }: Choice): EmptyReason {
  const reason = typeof finish_reason === 'string' ? finish_reason : '';
  if (filtered.test(reason)) return 'filter';
  if (typeof message?.refusal === 'string' && message.refusal !== '') return 'refusal';
  if (message && hasCalls(message)) return 'tool';
  if (cutOff.test(reason)) return 'length';
  return message?.reasoning_content || message?.reasoning ? 'reasoning' : 'none';
}

/** The reply of a choice; null: it has none, or the server broke it off. */
function replyOf(choice: Choice | null | undefined): Outcome | null {
  if (!choice || choice.error || brokenOff.has(choice.finish_reason)) return null;
  const { message = null, text: bare } = choice;
  if (message !== null && typeof message !== 'object') return null;
  if (!message && typeof bare !== 'string') return null;
  const content = textOf(message ? message.content : bare);
  if (content === undefined) return null;
  const text = withoutReasoning(content);
  return { kind: 'reply', text, calls: callsOf(message), empty: text.trim() === '' ? emptyReason(choice) : null };
}

function failureOf(fault: Fault, response: Response, body: string, sent: readonly OptionalField[]): Outcome {
  const error = fault.status ? `HTTP ${fault.status}: ${fault.words}` : `an error: ${fault.words}`;
  if (isFiltered(fault)) return { kind: 'reply', text: '', calls: [], empty: 'filter' };
  if (lacksCredit(fault)) return { kind: 'failed', words: error, remedy: 'Check the credit of the account.' };
  if (hasNoRoom(fault)) return { kind: 'no-room', words: fault.words };
  const refused = refusedFields(fault, sent);
  if (refused) return { kind: 'refused', words: fault.words, ...refused };
  if (mayPass(fault, response.headers)) {
    const afterMs = statedWaitMs(response.headers, body);
    return { kind: 'later', words: error, afterMs };
  }
  const moved = response.redirected ? ` The server redirects to ${response.url}.` : '';
  return { kind: 'failed', words: error, remedy: remedyFor(fault) + moved };
}

const openAiNeeded = 'Give the address of an endpoint that answers as OpenAI does, mostly one that ends in /v1.';

/** Name of another interface whose answer this is. */
function otherForm(value: unknown): string | null {
  const fields = (Array.isArray(value) ? value[0] : value) as { readonly [field: string]: unknown } | null | undefined;
  const { type, content, candidates, output, message, done, response, generated_text, stopReason } = fields ?? {};
  if (generated_text !== undefined) return "in the form of TGI's /generate";
  if (response !== undefined && done !== undefined) return "in the form of Ollama's /api/generate";
  if (stopReason !== undefined) return "in the form of Bedrock's Converse";
  if (type === 'message' && Array.isArray(content)) return "in the form of Anthropic's /v1/messages";
  if (Array.isArray(candidates)) return "in the form of Gemini's generateContent";
  if (Array.isArray(output)) return "in the form of OpenAI's /v1/responses";
  return message !== undefined && done !== undefined ? "in the form of Ollama's /api/chat" : null;
}

/** The error of an answer with status 200: a field of its own, or fields at the top (RunPod, Zhipu, MiniMax). */
function errorIn(value: unknown): unknown {
  const { error, message, msg, base_resp: base, choices } = (value ?? {}) as { readonly [field: string]: unknown };
  if (error || Array.isArray(choices)) return error;
  return typeof message === 'string' || typeof msg === 'string' ? value : base;
}

/** `sent`: the optional fields of the request. */
export function readAnswer(response: Response, text: string, sent: readonly OptionalField[]): Outcome {
  const body = isEventStream(text) ? JSON.stringify(wholeAnswer(text)) : text;
  const value = parsed(body) as { choices?: unknown; error?: unknown } | null | undefined;
  const choices = Array.isArray(value?.choices) ? (value.choices as Choice[]) : [];
  if (response.ok) {
    const reply = replyOf(choices[0]);
    const error = errorIn(value) || choices[0]?.error;
    // Gateways put an error beside an empty reply.
    if (reply?.kind === 'reply' && !(error && reply.empty === 'none')) return reply;
    if (error) return failureOf(faultOf(0, body, { error }), response, body, sent);
    // Ollama streams lines of JSON unless it is asked for one answer.
    const form = otherForm(value ?? parsed(body.trimStart().split('\n', 1)[0]));
    if (form) return { kind: 'failed', words: `it answers ${form}`, remedy: openAiNeeded };
    const what = value === undefined ? faultOf(0, body).words : oneLine(body);
    return { kind: 'later', words: `its answer holds no text: ${what}`, afterMs: null };
  }
  return failureOf(faultOf(response.status, body), response, body, sent);
}
