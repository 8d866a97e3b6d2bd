/** One task that is open: its question, its database and what the database holds. */

import type { ReadOnlyDatabase, Result } from '../../corpus/databases/read-only.ts';
import type { CatalogueTable } from './catalogue.ts';

export interface SqlTask {
  question: string;
  /** Hint of a person's own question; empty without one. */
  evidence: string;
  gold: string;
  ordered: boolean;
  /** Name of the database. */
  databaseName: string;
  tables: readonly CatalogueTable[];
  /** The database, opened again if it was closed for another. */
  database(): ReadOnlyDatabase;
  /** Rows of the gold statement. */
  goldResult(): Result;
  /** Statements that the question's text allows, about the `known` tables; null if none are listed. */
  statements(known: ReadonlySet<string>): readonly string[] | null;
}
