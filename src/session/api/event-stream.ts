/**
 * A reply that a server streams as events (`text/event-stream`) although nobody asked for it, as some proxies do. The
 * pieces become the answer that it would be as a whole; a stream that ends early is an error that may pass.
 */
import { parsed } from './fault.ts';

interface Delta {
  content?: unknown;
  reasoning_content?: unknown;
  /** vLLM's newer name and OpenRouter's. */
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: unknown;
  function_call?: unknown;
}

interface Choice {
  index?: unknown;
  delta?: Delta | string | null;
  message?: Delta | null;
  text?: unknown;
  finish_reason?: unknown;
  error?: unknown;
}

interface Piece {
  object?: unknown;
  choices?: (Choice | null)[] | null;
  error?: unknown;
}

interface Call {
  id?: string;
  function: { name: string; arguments: string };
}

interface StreamEvent {
  name: string;
  data: string;
}

export const isEventStream = (body: string): boolean => /^\uFEFF?\s*(?::|(?:data|event|id|retry):)/.test(body);

/** Events with data. Comments and other fields are left out. Some servers end each line of data like an event. */
function eventsOf(body: string): StreamEvent[] {
  const events: { name: string; lines: string[] }[] = [{ name: '', lines: [] }];
  const after = (line: string) => line.slice(line.indexOf(':') + 1).replace(/^ /, '');
  for (const line of body.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line === '') events.push({ name: '', lines: [] });
    else if (line.startsWith('data:')) events.at(-1)!.lines.push(after(line));
    else if (line.startsWith('event:')) events.at(-1)!.name = after(line);
  }
  return events.flatMap(({ name, lines }) => {
    const data = lines.join('\n');
    const each = lines.length > 1 && parsed(data) === undefined ? lines : [data];
    return each.filter((text) => text.trim() !== '').map((text) => ({ name, data: text }));
  });
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((part) => textOf((part as { text?: unknown } | null)?.text)).join('');
  return typeof value === 'string' ? value : '';
};

/** True for the JSON of an object, to which nothing is added. */
const isWhole = (text: string) => text.trimEnd().endsWith('}') && typeof parsed(text) === 'object';

/** A name in pieces, or repeated with each piece of the arguments. */
const joinedName = (name: string, next: string): string =>
  next.startsWith(name) ? next : name.endsWith(next) ? name : name + next;

/**
 * Adds a piece of a call to the call with its index. Ollama and others give every call the same index, or none: there a
 * name with another id begins a call, as does one with arguments after whole ones.
 */
function addCall(calls: Call[], places: Map<unknown, Call>, piece: unknown, k: number): void {
  const { index = k, id, function: part } = (piece ?? {}) as { index?: unknown; id?: unknown; function?: unknown };
  const { name, arguments: given } = (part ?? {}) as { name?: unknown; arguments?: unknown };
  const own = textOf(id).trim();
  let call = places.get(index);
  const isOther = call && own && call.id ? own !== call.id : call && given && isWhole(call.function.arguments);
  if (!call || (name && isOther)) {
    call = { function: { name: '', arguments: '' } };
    calls.push(call);
    places.set(index, call);
  }
  if (own) call.id ||= own;
  call.function.name = joinedName(call.function.name, textOf(name));
  call.function.arguments += typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given);
}

const brokenOff = (what: string) => ({ error: { message: `its stream of events ${what}`, code: 503 } });

/** The reply so far. */
class Reply {
  private message = { content: '', reasoning_content: '', refusal: '' };
  private calls: Call[] = [];
  private places = new Map<unknown, Call>();
  private reason: unknown;
  ended = false;
  /** True once an event had a part of a reply, or the reason of its end. */
  begun = false;

  add({ delta, message, text, finish_reason: reason }: Choice): void {
    this.begun = true;
    // A message in place of a piece has the whole reply so far.
    if (!delta && message) this.restart();
    const added = typeof delta === 'string' ? { content: delta } : (delta ?? message ?? { content: text });
    this.message.content += textOf(added.content);
    this.message.reasoning_content += textOf(added.reasoning_content || added.reasoning);
    this.message.refusal += textOf(added.refusal);
    const pieces = Array.isArray(added.tool_calls) ? added.tool_calls : [];
    for (const [k, piece] of pieces.entries()) addCall(this.calls, this.places, piece, k);
    if (added.function_call) addCall(this.calls, this.places, { function: added.function_call }, 0);
    // KoboldCpp and others write the text "null".
    if (reason && reason !== 'null') this.reason = reason;
    this.ended ||= this.reason !== undefined;
  }

  private restart(): void {
    this.message = { content: '', reasoning_content: '', refusal: '' };
    this.calls = [];
    this.places = new Map();
  }

  whole(): object {
    const called = this.calls.length ? { tool_calls: this.calls } : {};
    return { choices: [{ message: { ...this.message, ...called }, finish_reason: this.reason ?? null }] };
  }
}

/** The error of an event; undefined: it has none. */
function errorOf({ name }: StreamEvent, value: unknown): unknown {
  const piece = (value ?? {}) as Piece;
  const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
  return piece.error || choice?.error || (name === 'error' || piece.object === 'error' ? value : undefined);
}

/** Events that keep a connection open. Some have data that is not JSON. */
const keepsOpen = /^(ping|heartbeat|keep-?alive)$/i;

/** An empty answer in another interface's form, for an event of its streams. */
function otherAnswer(value: unknown): object | null {
  const { type } = (value ?? {}) as { type?: unknown };
  if (type === 'message_start') return { type: 'message', content: [] };
  return typeof type === 'string' && type.startsWith('response.') ? { output: [] } : null;
}

/** The whole answer of a stream of events, as a chat completion or an error. */
export function wholeAnswer(body: string): object {
  const reply = new Reply();
  for (const event of eventsOf(body)) {
    if (keepsOpen.test(event.name)) continue;
    if (event.data.trim().toUpperCase() === '[DONE]') {
      reply.ended = true;
      continue;
    }
    const value = parsed(event.data);
    const error = errorOf(event, value ?? event.data);
    if (error) return { error };
    if (value === undefined) return brokenOff('has data that is not JSON');
    const other = otherAnswer(value);
    if (other) return other;
    const { choices } = (value ?? {}) as Piece;
    const choice = Array.isArray(choices) ? choices.find((each) => (each?.index ?? 0) === 0) : undefined;
    if (choice) reply.add(choice);
  }
  if (!reply.ended) return brokenOff('ended before the reply did');
  return reply.begun ? reply.whole() : brokenOff('has no reply');
}
