/** Worlds of this build: `npm run try-removing` runs the tests without one of them. */
import { worldNames } from '../src/worlds/registry.ts';

export const hasWorlds = (...names: readonly string[]): boolean => names.every((name) => worldNames.includes(name));

/** Rows of a table of cases whose world, in the given column, is in this build. */
export const rowsHere = <Row extends readonly unknown[]>(rows: readonly Row[], column = 0): Row[] =>
  rows.filter((row) => hasWorlds(row[column] as string));
