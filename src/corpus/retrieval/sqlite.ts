/**
 * The subset of SQLite used by corpora, independent of the build: the official one (@sqlite.org/sqlite-wasm) in pages
 * and for databases in memory, node-sqlite3-wasm for files on Node, which the official build cannot open. Both are
 * loaded on first use. Independent of documents.
 */
import type { OpfsSAHPoolDatabase, SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { WorldError } from '../../envs/env.ts';
import { openOnce } from '../open-once.ts';

type Value = string | number | null;
type Row = { [column: string]: Value };

export interface Statement {
  run(values: readonly Value[]): void;
  all(values: readonly Value[]): Row[];
  finalize(): void;
}

export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** SQLite could not be loaded, or has no full-text search. */
class SqliteError extends WorldError {
  override name = 'SqliteError';
}

/** Loads the official build on first use, since it is 0.4 MB gzipped. */
export const loadSqlite: () => Promise<Sqlite3Static> = openOnce(() => open());

/**
 * Disables file systems that are not used here. Two of them would each start a worker with several megabytes
 * (sqlite.org/wasm/doc/trunk/persistence.md). The library reads this global name and removes it.
 */
const unused = { disable: { vfs: { opfs: true, 'opfs-vfs': true, 'opfs-wl': true, kvvfs: true } } };

/** A package that cannot be loaded ends the run by name: no episode could be played. */
function withoutPackage(name: string): (error: Error) => never {
  return (error) => {
    throw new SqliteError(
      `The package ${name} could not be loaded (${error.message}): install it, or in a browser reload the page.`,
    );
  };
}

async function open(): Promise<Sqlite3Static> {
  const { default: init } = await import('@sqlite.org/sqlite-wasm').catch(withoutPackage('@sqlite.org/sqlite-wasm'));
  Object.assign(globalThis, { sqlite3ApiConfig: unused });
  const sqlite = await init().catch((error: Error) => {
    throw new SqliteError(`SQLite could not be loaded: ${error.message}. Reload the page.`);
  });
  if (!sqlite.capi.sqlite3_compileoption_used('ENABLE_FTS5'))
    throw new SqliteError(`This build of SQLite (${sqlite.version.libVersion}) has no full-text search (FTS5).`);
  return sqlite;
}

type OfficialDatabase = InstanceType<Sqlite3Static['oo1']['DB']> | OpfsSAHPoolDatabase;

type OfficialStatement = ReturnType<OfficialDatabase['prepare']>;

const encoder = new TextEncoder();

/**
 * Longest text, in characters, that `bindText` writes itself. It allocates for the largest possible UTF-8 size; longer
 * texts use the library's `bind`.
 */
const longestWritten = 1_000_000;

/**
 * Binds a text by writing it directly into the module's memory. The library's `bind` first makes a byte array of each
 * text, which lies outside the JavaScript heap and is collected late: tens of megabytes pile up during ingestion.
 */
function bindText({ capi, wasm }: Sqlite3Static, statement: OfficialStatement, at: number, text: string): number {
  const most = 3 * text.length;
  const start = wasm.alloc(most + 1);
  const { written } = encoder.encodeInto(text, wasm.heap8u().subarray(Number(start), Number(start) + most));
  // SQLite frees the text, even if binding fails.
  return capi.sqlite3_bind_text(statement.pointer!, at, start, written, capi.SQLITE_WASM_DEALLOC);
}

function wrapOfficial(sqlite: Sqlite3Static, database: OfficialDatabase): Sqlite {
  return {
    exec: (sql) => void database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const bound = (values: readonly Value[]) => {
        for (const [k, value] of values.entries())
          if (typeof value === 'string' && value.length <= longestWritten)
            sqlite.oo1.DB.checkRc(database, bindText(sqlite, statement, k + 1, value));
          else statement.bind(k + 1, value);
      };
      return {
        run(values) {
          bound(values);
          statement.stepReset();
        },
        all(values) {
          bound(values);
          const rows: Row[] = [];
          try {
            while (statement.step()) rows.push(statement.get({}) as Row);
          } finally {
            statement.reset();
          }
          return rows;
        },
        finalize: () => void statement.finalize(),
      };
    },
    close: () => database.close(),
  };
}

/** Opens a database in memory, which is discarded when it is closed. */
export async function openInMemory(): Promise<Sqlite> {
  const sqlite = await loadSqlite();
  return wrapOfficial(sqlite, new sqlite.oo1.DB(':memory:'));
}

/** Opens a database in a pool of files in the page's own file system. */
export function openInPool(sqlite: Sqlite3Static, pool: SAHPoolUtil, name: string): Sqlite {
  return wrapOfficial(sqlite, new pool.OpfsSAHPoolDb(name));
}

/** Opens a database file on Node. */
export async function openFile(path: string): Promise<Sqlite> {
  const { default: node } = await import('node-sqlite3-wasm').catch(withoutPackage('node-sqlite3-wasm'));
  const database = new node.Database(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (values) => void statement.run(values as Value[]),
        all: (values) => statement.all(values as Value[]) as Row[],
        finalize: () => statement.finalize(),
      };
    },
    close: () => database.close(),
  };
}
