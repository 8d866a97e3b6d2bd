/** Numbers, times and sizes formatted for the page's language (Intl). Texts of worlds are never formatted. */
import { msg, str } from '@lit/localize';
import { currentLocale } from './locale.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** Cached number format: creating one is slow, and charts need many. */
function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${currentLocale()} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(currentLocale(), { useGrouping: false, ...options });
  formats.set(key, known);
  return known;
}

const withDigits = (value: number, digits: number) =>
  format({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value).replace('-', '−');

const sign = (value: number) => (value > 0 ? '+' : value < 0 ? '−' : '±');

const punctuation = {
  en: { comma: ', ', semicolon: '; ', colon: ': ', brackets: [' (', ')'], gap: ' ' },
  'zh-Hans': { comma: '，', semicolon: '；', colon: '：', brackets: ['（', '）'], gap: '' },
} as const;
const marks = () => punctuation[currentLocale()];

/** Parts of a list in one line, with the comma of the page's language. */
export const listed = (parts: readonly string[]): string => parts.join(marks().comma);
/** Parts of a list whose parts have commas. */
export const listedApart = (parts: readonly string[]): string => parts.join(marks().semicolon);
/** Stands between a label and its value. */
export const colon = (): string => marks().colon;
/** Text in brackets, after another one. */
export const bracketed = (text: string): string => marks().brackets.join(text);
/** Stands between two sentences. */
export const gap = (): string => marks().gap;
/** Sentences in one line, without the empty ones. */
export const sentences = (...parts: readonly string[]): string => parts.filter(Boolean).join(gap());

export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : withDigits(value, digits);

export const signed = (value: number, digits = 2): string => `${sign(value)}${withDigits(Math.abs(value), digits)}`;

/** At most `digits` significant digits. */
export const significant = (value: number, digits: number): string =>
  format({ maximumSignificantDigits: digits }).format(value).replace('-', '−');

/** Three significant digits, with an exponent only below 0.001. */
export function compact(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e6) return `${withDigits(value / 1e6, size >= 1e8 ? 0 : 1)} M`;
  if (size >= 1e4) return `${withDigits(value / 1e3, size >= 1e5 ? 0 : 1)} k`;
  if (size < 1e-3) return value.toExponential(1);
  return significant(value, 3);
}

/** Duration in minutes, or in hours and minutes. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return msg('< 1 min');
  if (minutes < 60) return msg(str`${minutes} min`);
  return msg(str`${Math.floor(minutes / 60)} h ${minutes % 60} min`);
}

/** Duration of an estimate, as a phrase. */
export const approximately = (ms: number): string =>
  ms < 60_000 ? msg('less than a minute') : msg(str`about ${duration(ms)}`);

/** Like `duration`, with seconds below a minute. */
export function shortDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? msg(str`${seconds} s`) : duration(ms);
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

export function bytes(value: number): string {
  const power = value > 0 ? Math.min(byteUnits.length - 1, Math.floor(Math.log10(value) / 3)) : 0;
  const scaled = value / 1000 ** power;
  return `${withDigits(scaled, power === 0 || scaled >= 100 ? 0 : 1)} ${byteUnits[power]}`;
}

export const percent = (fraction: number): string => format({ style: 'percent' }).format(fraction);

export const when = (time: number): string =>
  new Date(time).toLocaleString(currentLocale(), { dateStyle: 'medium', timeStyle: 'short' });
