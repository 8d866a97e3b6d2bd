/** Reads fields of a parsed `config.json` and collects all problems, so that one error lists them all. */

import { cut } from './formats/json-text.ts';

/** Thrown for a `config.json` that the engine cannot run. Lists every problem: field, value and supported values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`This model's config.json cannot be run: ${problems.join('; ')}`);
  }
}

export type Fields = { [name: string]: unknown };

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an error shows it. */
export const show = (value: unknown) => cut(JSON.stringify(value) ?? 'absent');

export class ConfigReader {
  readonly problems: string[] = [];
  constructor(
    readonly json: Fields,
    /** Path of the object in the file, as in `rope_scaling.`. */
    readonly prefix = '',
  ) {}

  refuse(field: string, because: string) {
    this.problems.push(`${this.prefix}${field} is ${show(this.json[field])}: ${because}`);
  }

  number(field: string, fallback?: number): number {
    const value = this.json[field] ?? fallback;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    this.refuse(field, 'it must be a number above 0');
    return 1;
  }

  integer(field: string, fallback?: number): number {
    const value = this.number(field, fallback);
    if (Number.isInteger(value)) return value;
    this.refuse(field, 'it must be a whole number');
    return 1;
  }

  boolean(field: string, fallback: boolean): boolean {
    const value = this.json[field] ?? fallback;
    if (typeof value === 'boolean') return value;
    this.refuse(field, 'it must be true or false');
    return fallback;
  }
}
