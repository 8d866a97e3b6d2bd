/** Numbers as a person reads them. World text is never touched by these. */
const sign = (value: number) => (value > 0 ? '+' : value < 0 ? '−' : '±');

export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(digits).replace('-', '−');

export const signed = (value: number, digits = 2): string => `${sign(value)}${Math.abs(value).toFixed(digits)}`;

/** Three significant digits, with an exponent only where it is needed. */
export function compact(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e8 ? 0 : 1)} M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(size >= 1e5 ? 0 : 1)} k`;
  if (size < 1e-3) return value.toExponential(1);
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

/** A time of minutes and hours, rounded as it is known. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return '< 1 min';
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

export function bytes(value: number): string {
  const power = value > 0 ? Math.min(byteUnits.length - 1, Math.floor(Math.log10(value) / 3)) : 0;
  const scaled = value / 1000 ** power;
  return `${scaled.toFixed(power === 0 || scaled >= 100 ? 0 : 1)} ${byteUnits[power]}`;
}

export const percent = (fraction: number): string => `${Math.round(fraction * 100)}%`;

export const when = (time: number): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
