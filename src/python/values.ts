/** Python's `str` and `int` of values that a page's script returned. WebArena's observations and judges print them. */
import { decimal, floatText, repr, strip } from './text.ts';

/** A value returned by a page's script. */
export type Value = null | undefined | boolean | number | bigint | string | Value[] | { [key: string]: Value };

function reprValue(value: Value): string {
  return typeof value === 'string' ? repr(value) : str(value);
}

/**
 * str(value) of a value that a page's script returned and the browser driver passed to Python (whole numbers are ints).
 */
export function str(value: Value): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) < 1e21
      ? String(value)
      : floatText(value);
  if (Array.isArray(value)) return `[${value.map(reprValue).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, entry]) => `${repr(key)}: ${reprValue(entry)}`)
    .join(', ')}}`;
}

/** int(value) in decimal digits, or null if Python's int raises an error. */
export function int(value: Value): string | null {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : null;
  if (typeof value === 'bigint') return String(value);
  const found = typeof value === 'string' && /^([+-]?)(\p{Nd}+(?:_\p{Nd}+)*)$/u.exec(strip(value));
  if (!found) return null;
  const digits = decimal(found[2].replaceAll('_', ''));
  return found[1] === '-' && digits !== '0' ? `-${digits}` : digits;
}
