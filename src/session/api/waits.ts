/**
 * The pause that a server requests: `Retry-After` in seconds or as a date (RFC 9110), `retry-after-ms` (OpenAI, Azure),
 * "try again in 5.289s" (OpenAI, Groq), `retryDelay` (Gemini), and `x-ratelimit-reset-*` (OpenAI, Groq: "6m0s";
 * OpenRouter: a time, in the error's `metadata.headers`).
 */

import { durationMs, untilMs } from '../../envs/transport/retry-after.ts';
import { parsed } from './fault.ts';

const saidPatterns = [
  /(?:try again|retry)(?: after| in)?:? (\d[\d.]*(?:ms|s|m|h)(?:[\d.]+(?:ms|s|m))*)/i,
  /retryDelay\\?":\s*\\?"(\d[\d.]*s)\\?"/,
];
const saidAsNumber = /"retry_after(?:_seconds)?":\s*(\d+(?:\.\d+)?)/;
const saidInWords = /(?:try again|retry)(?: after| in)?:? (\d+(?:\.\d+)?) ?(milli|sec|min|hour)/i;
const wordMs: { readonly [word: string]: number } = { milli: 1, sec: 1000, min: 60_000, hour: 3_600_000 };

/** Maximum number of characters that are searched for a wait. */
const mostRead = 10_000;

function saidMs(body: string): number | null {
  const text = body.slice(0, mostRead);
  const found = saidPatterns.map((pattern) => pattern.exec(text)?.[1]).find(Boolean);
  if (found) return durationMs(found.replace(/\.$/, ''));
  const number = saidAsNumber.exec(text)?.[1];
  if (number) return 1000 * Number(number);
  const [, count, word] = saidInWords.exec(text) ?? [];
  return count === undefined ? null : Number(count) * wordMs[word.toLowerCase()];
}

/** The reset of each limit that is used up. A limit without a remaining count is ignored. */
function resetMs(headers: Headers, now: number): number | null {
  const of = (suffix: string) =>
    headers.get(`x-ratelimit-remaining${suffix}`) === '0'
      ? untilMs(headers.get(`x-ratelimit-reset${suffix}`), now)
      : null;
  const waits = ['-requests', '-tokens', ''].map(of).filter((ms) => ms !== null);
  return waits.length ? Math.max(...waits) : null;
}

/** Headers of a provider that a gateway repeats in the error's body. */
function headersIn(body: string): Headers {
  const { error } = (parsed(body) ?? {}) as { error?: { metadata?: { headers?: unknown } | null } | null };
  const texts = Object.entries(error?.metadata?.headers ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' || typeof value === 'number' ? [[name, `${value}`]] : [],
  );
  return new Headers(texts.filter(([name, text]) => /^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(text)));
}

/** Milliseconds until the next request is allowed; null: the server states none. */
export function statedWaitMs(headers: Headers, body: string, now = Date.now()): number | null {
  const inMs = headers.get('retry-after-ms');
  if (inMs !== null && Number.isFinite(Number(inMs))) return Math.max(0, Number(inMs));
  const inner = headersIn(body);
  return (
    untilMs(headers.get('retry-after'), now) ??
    untilMs(inner.get('retry-after'), now) ??
    saidMs(body) ??
    resetMs(headers, now) ??
    resetMs(inner, now)
  );
}
