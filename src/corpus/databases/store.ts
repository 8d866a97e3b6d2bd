/** Storage of databases that a person brings, each with its questions: in the browser, or in a folder on Node. */
import type { OwnQuestion } from './questions.ts';

/** Facts about a kept database, for lists. */
export interface KeptDatabase {
  name: string;
  bytes: number;
  questions: number;
}

export interface DatabaseWithQuestions {
  bytes: Uint8Array;
  questions: readonly OwnQuestion[];
}

export interface DatabaseStore {
  list(): Promise<KeptDatabase[]>;
  /** Throws CorpusError if there is none of this name. */
  read(name: string): Promise<DatabaseWithQuestions>;
  keep(name: string, database: DatabaseWithQuestions): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface ImportResult {
  /** Questions that are kept. */
  questions: number;
  /** Records that are no questions. */
  refused: number;
  /** Questions left out because their statement does not run here, with the first reasons. */
  failed: number;
  examples: string[];
}

/** Largest database file, in bytes: it is held in memory while a world plays it. */
export const largestDatabase = 64 * 1024 * 1024;

export const noDatabase = (name: string) =>
  `There is no database named "${name}" here. Drop its file on the page, under Storage, or choose another.`;
