/**
 * The pause that a server requests: `Retry-After` in seconds or as a date (RFC 9110), `retry-after-ms` (OpenAI, Azure),
 * "try again in 5.289s" (OpenAI, Groq), `retryDelay` (Gemini), and `x-ratelimit-reset-*` (OpenAI, Groq: "6m0s";
 * OpenRouter: a time).
 */

const unitMs: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `1m2.5s` or `120ms`; null: another text. */
function durationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) ms += Number(count) * unitMs[unit];
  return ms;
}

/** A date has the name of a month, or a year and a month. Other texts would be read as days of some year. */
const dateLike = /[a-z]{3}|\d{4}-\d/i;

/**
 * A number of seconds, a duration with units, or a time: an HTTP date, or seconds or milliseconds since 1970. Of several
 * numbers, as a header has that a proxy and its server both set, the largest.
 */
function untilMs(text: string | null, now: number): number | null {
  if (text === null || text.trim() === '') return null;
  const list = text.split(',').map((each) => each.trim());
  if (list.length > 1 && !dateLike.test(text)) {
    const waits = list.map((each) => untilMs(each, now)).filter((ms) => ms !== null);
    return waits.length ? Math.max(...waits) : null;
  }
  const value = Number(text);
  if (Number.isFinite(value)) {
    if (value > 1e11) return Math.max(0, value - now);
    return value > 1e9 ? Math.max(0, 1000 * value - now) : Math.max(0, 1000 * value);
  }
  const duration = durationMs(text.trim());
  if (duration !== null) return duration;
  const time = dateLike.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}

const saidPatterns = [
  /(?:try again|retry)(?: after| in)?:? (\d[\d.]*(?:ms|s|m|h)(?:[\d.]+(?:ms|s|m))*)/i,
  /"retryDelay":\s*"(\d[\d.]*s)"/,
];
const saidInWords = /(?:try again|retry)(?: after| in)?:? (\d+(?:\.\d+)?) ?(milli|sec|min|hour)/i;
const wordMs: { readonly [word: string]: number } = { milli: 1, sec: 1000, min: 60_000, hour: 3_600_000 };

/** Maximum number of characters that are searched for a wait. */
const mostRead = 10_000;

function saidMs(body: string): number | null {
  const text = body.slice(0, mostRead);
  const found = saidPatterns.map((pattern) => pattern.exec(text)?.[1]).find(Boolean);
  if (found) return durationMs(found.replace(/\.$/, ''));
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

/** Milliseconds until the next request is allowed; null: the server states none. */
export function statedWaitMs(headers: Headers, body: string, now = Date.now()): number | null {
  const inMs = headers.get('retry-after-ms');
  if (inMs !== null && Number.isFinite(Number(inMs))) return Math.max(0, Number(inMs));
  return untilMs(headers.get('retry-after'), now) ?? saidMs(body) ?? resetMs(headers, now);
}
