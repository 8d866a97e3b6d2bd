/** Calls of the page's worker for what a person brings (src/workers/own-files-worker.ts). */
import type { ImportResult, KeptDatabase } from './databases/store.ts';
import type { GamesImport } from './games/import.ts';
import type { KeptGames } from './games/store.ts';
import type { KeptShop } from './shops/store.ts';
import type { ShopCounts, ShopFiles } from './shops/webshop-files.ts';

/** Facts about what is kept, by kind. */
export interface KeptOf {
  databases: KeptDatabase;
  shops: KeptShop;
  games: KeptGames;
}

export type OwnKind = keyof KeptOf;

/** A file with its path in the folder that it came from. */
export interface PathFile {
  path: string;
  file: File;
}

export interface OwnFilesApi {
  list(kind: OwnKind): Promise<KeptOf[OwnKind][]>;
  remove(kind: OwnKind, name: string): Promise<void>;
  /** Tries and keeps a database with a file of questions. The file's name is the `db_id` of its questions. */
  bringDatabase(name: string, database: File, questions: File): Promise<ImportResult>;
  bringShop(name: string, files: { [role in keyof ShopFiles]: File }): Promise<ShopCounts>;
  /** Keeps the games of game files and zip archives. `report` is called with the number of files read. */
  bringGames(name: string, files: readonly PathFile[], report: (read: number) => void): Promise<GamesImport>;
}
