/** Pauses that a server states: the values of `Retry-After` and of headers like it. */

const unitMs: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `1m2.5s` or `120ms`; null: another text. */
export function durationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) ms += Number(count) * unitMs[unit];
  return ms;
}

/** A date has the name of a month, or a year and a month. Other texts would be read as days of some year. */
const dateLike = /[a-z]{3}|\d{4}-\d/i;

/**
 * Milliseconds until a time: a number of seconds, a duration with units, an HTTP date, or seconds or milliseconds since
 * 1970. Of several numbers, as a header has that a proxy and its server both set, the largest. Null: another text.
 */
export function untilMs(text: string | null, now: number): number | null {
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
