/**
 * Errors of OpenAI-compatible servers. The forms differ: `{error: {message, type, param, code}}` (OpenAI, vLLM,
 * llama.cpp, OpenRouter), the same fields at the top (older vLLM, SGLang), `{message: {detail: [...]}}` (Mistral),
 * `{detail: [{loc, msg}]}` (FastAPI), `{error: "..."}` (LM Studio, Ollama, TGI), a list of one (Gemini), and JSON inside
 * a text (proxies). So every text and code of an error is read, wherever it stands.
 */
import { parseJsonText } from '../../envs/transport/json-text.ts';

export interface Fault {
  /** HTTP status, or the status in the error of an answer with status 200; 0: unknown. */
  status: number;
  /** The error in the server's words, on one line, cut off. */
  words: string;
  /** All texts of the error, for patterns. */
  text: string;
  /** Values of `code`, `type` and their like. */
  codes: readonly string[];
  /** Names of request fields in `param`, `loc` and `field`. */
  fields: readonly string[];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const shownLength = 300;
const deepest = 8;

/** Fields in which servers repeat the request, so their text is not the server's. */
const echoes = new Set(['input', 'ctx', 'url', 'body', 'request', 'messages', 'request_id', 'user_id', 'id']);
const codeKeys = new Set(['code', 'type', 'error_type', 'status', 'reason', 'object', 'status_code']);
const sentenceKeys = new Set(['message', 'msg', 'status_msg', 'detail', 'error', 'raw', 'description', 'title']);
const fieldKeys = new Set(['param', 'field']);

interface Found {
  sentences: string[];
  texts: string[];
  codes: string[];
  fields: string[];
}

/** Parses JSON, also after a byte order mark; undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return parseJsonText(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** `["body", "seed"]` and `seed` name a field; `["body", "messages", 3, "content"]` names none of the request's own. */
const fieldOf = (path: readonly Json[]): string => {
  const own = path[0] === 'body' ? path.slice(1) : path;
  return own.length === 1 && typeof own[0] !== 'object' ? String(own[0]) : '';
};

/** Maximum number of characters of a text of a server that are searched for a reason. */
const mostRead = 10_000;

function visit(value: Json, key: string, found: Found, depth: number): void {
  if (depth > deepest || value === null || echoes.has(key)) return;
  if (key === 'loc' && Array.isArray(value)) found.fields.push(fieldOf(value));
  else if (Array.isArray(value)) for (const each of value) visit(each, key, found, depth + 1);
  else if (typeof value === 'object')
    for (const [name, each] of Object.entries(value)) visit(each, name, found, depth + 1);
  else visitLeaf(value, key, found, depth);
}

function visitLeaf(value: string | number | boolean, key: string, found: Found, depth: number): void {
  const whole = String(value);
  const text = whole.slice(0, mostRead);
  const inner = /^\s*[[{]/.test(text) ? parsed(whole) : undefined;
  if (inner !== undefined) {
    visit(inner as Json, key, found, depth + 1);
    return;
  }
  if (fieldKeys.has(key)) found.fields.push(fieldOf(text.split('.')));
  if (codeKeys.has(key)) found.codes.push(text);
  if (sentenceKeys.has(key) && /\D/.test(text)) found.sentences.push(text);
  if (typeof value === 'string') found.texts.push(text);
}

export function oneLine(text: string): string {
  const line = text.slice(0, mostRead).replace(/\s+/g, ' ').trim();
  return line.length > shownLength ? `${line.slice(0, shownLength)}…` : line;
}

/** A body that is not JSON: its title if it is a web page, or else its beginning. */
function glimpse(body: string): string {
  const text = body.slice(0, mostRead);
  if (text.trim() === '') return 'nothing';
  if (!/^\s*</.test(text)) return oneLine(text);
  const title = oneLine(/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? text.replace(/<[^>]*>/g, ' '));
  return `a web page${title && `: ${title}`}`;
}

/** Status of an error in the body of an answer whose own status is 200. */
const statusIn = (codes: readonly string[]) => codes.map(Number).find((code) => code >= 400 && code < 600) ?? 0;

/** Reads an error from the body of an answer. `value`: the body, or its part with the error. */
export function faultOf(status: number, body: string, value: unknown = parsed(body)): Fault {
  const found: Found = { sentences: [], texts: [], codes: [], fields: [] };
  if (value !== undefined) visit(value as Json, '', found, 0);
  const sentences = [...new Set(found.sentences)];
  return {
    status: status >= 400 ? status : statusIn(found.codes),
    words: sentences.length ? oneLine(sentences.join('; ')) : glimpse(body),
    text: (found.texts.length ? found.texts.join('\n') : body).slice(0, 2 * mostRead),
    codes: found.codes,
    fields: found.fields.filter(Boolean),
  };
}
