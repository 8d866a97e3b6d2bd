/**
 * A reply that a server streams as events (`text/event-stream`) although nobody asked for it, as some proxies do. The
 * pieces become the answer that it would be as a whole; a stream that ends early is an error that may pass.
 */
import { parsed } from './fault.ts';

interface Delta {
  content?: unknown;
  reasoning_content?: unknown;
  refusal?: unknown;
  tool_calls?: unknown;
}

interface Piece {
  choices?: { delta?: Delta | null; message?: Delta | null; finish_reason?: unknown }[];
  error?: unknown;
}

interface Call {
  id?: unknown;
  function: { name: string; arguments: string };
}

export const isEventStream = (body: string): boolean => /^\uFEFF?\s*(?::|(?:data|event|id|retry):)/.test(body);

/** Data of the events. Comments and other fields are left out. */
function dataOf(body: string): string[] {
  const events: string[][] = [[]];
  for (const line of body.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line === '') events.push([]);
    else if (line.startsWith('data:')) events.at(-1)!.push(line.slice(5).replace(/^ /, ''));
  }
  return events.filter((lines) => lines.length).map((lines) => lines.join('\n'));
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((part) => textOf((part as { text?: unknown } | null)?.text)).join('');
  return typeof value === 'string' ? value : '';
};

/** Adds pieces of calls, which belong together by their index. */
function addCalls(calls: Map<unknown, Call>, pieces: unknown): void {
  if (!Array.isArray(pieces)) return;
  for (const [k, piece] of pieces.entries()) {
    const { index = k, id, function: part } = (piece ?? {}) as { index?: unknown; id?: unknown; function?: unknown };
    const { name, arguments: given } = (part ?? {}) as { name?: unknown; arguments?: unknown };
    const call = calls.get(index) ?? { function: { name: '', arguments: '' } };
    if (id) call.id = id;
    call.function.name ||= textOf(name);
    call.function.arguments += typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given);
    calls.set(index, call);
  }
}

const cutOff = { message: 'its stream of events ended before the reply did', code: 503 };

/** The whole answer of a stream of events, as a chat completion or an error. */
export function wholeAnswer(body: string): object {
  const message = { content: '', reasoning_content: '', refusal: '' };
  const calls = new Map<unknown, Call>();
  let reason: unknown;
  let ended = false;
  for (const data of dataOf(body)) {
    if (data.trim() === '[DONE]') {
      ended = true;
      continue;
    }
    const piece = parsed(data) as Piece | null | undefined;
    if (piece?.error) return { error: piece.error };
    const choice = Array.isArray(piece?.choices) ? piece.choices[0] : undefined;
    const delta = choice?.delta ?? choice?.message;
    for (const field of ['content', 'reasoning_content', 'refusal'] as const) message[field] += textOf(delta?.[field]);
    addCalls(calls, delta?.tool_calls);
    reason = choice?.finish_reason || reason;
  }
  if (!ended && reason === undefined) return { error: cutOff };
  const called = calls.size ? { tool_calls: [...calls.values()] } : {};
  return { choices: [{ message: { ...message, ...called }, finish_reason: reason ?? null }] };
}
