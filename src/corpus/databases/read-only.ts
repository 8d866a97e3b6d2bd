/**
 * A SQLite database that can only be read, in bounds. The bytes are opened as an immutable image; an authorizer admits
 * reading and a list of functions; one statement is run at a time, for a bounded number of steps of SQLite's virtual
 * machine, rows and bytes. Statements give the same rows everywhere: no random numbers, and the clock stands still.
 */
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { openOnce } from '../open-once.ts';
import { loadSqlite } from '../retrieval/sqlite.ts';

export type Value = null | number | bigint | string | Uint8Array;

export interface Result {
  columns: string[];
  rows: Value[][];
}

/** A statement that was refused, failed or reached a bound. Its message is for the agent. */
export class SqlError extends Error {
  override name = 'SqlError';
}

/** Bounds of a statement. */
export const bounds = {
  /** Steps of SQLite's virtual machine. */
  steps: 2_000_000,
  /** Characters of the statement. */
  statement: 8000,
  /** Bytes of a text, a blob or a row. */
  cell: 100_000,
  rows: 50_000,
  /** Bytes of all rows together. */
  bytes: 16_000_000,
  /** Bytes that SQLite uses for a statement. */
  memory: 128_000_000,
  /** The last guard, for steps that are slow themselves. */
  milliseconds: 8000,
};

/** Steps between two looks at the bounds. */
const stepsBetween = 1000;

/** The time at which `date('now')` stands: 2026-01-01 12:00 UTC, as a Julian day. */
const now = 2461042;

const pragmas = new Set(['table_info', 'table_xinfo', 'table_list', 'foreign_key_list', 'index_list', 'index_info']);

const functions = new Set(
  (
    'abs avg ceil ceiling char coalesce concat concat_ws count cume_dist current_date current_time current_timestamp ' +
    'date datetime dense_rank exp first_value floor ' +
    'format glob group_concat hex if ifnull iif instr julianday lag last_value lead length like likelihood likely ln log log10 ' +
    'lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank pow power printf quote rank ' +
    'replace round row_number rtrim sign sqrt strftime string_agg substr substring sum time timediff total trim ' +
    'trunc typeof unhex unicode unixepoch unlikely upper'
  ).split(' '),
);

type Database = InstanceType<Sqlite3Static['oo1']['DB']>;

/** SQLite with the file system whose clock stands still. */
interface Engine {
  sqlite: Sqlite3Static;
  clock: string;
}

/** Loads SQLite on first use. */
export const openEngine = openOnce(async (): Promise<Engine> => {
  const sqlite = await loadSqlite();
  return { sqlite, clock: stoppedClock(sqlite) };
});

/** Fields of a file system's struct that the library's types name without their `$`. */
interface FileSystem {
  readonly pointer: number;
  $iVersion: number;
  $zName: number;
  $pNext: number;
  installMethod(name: string, method: (fileSystem: number, at: number) => number): void;
  dispose(): void;
}

/** Registers a copy of the default file system with a clock that stands still. Returns its name. */
function stoppedClock({ capi, wasm }: Sqlite3Static): string {
  const name = 'tabgym-stopped-clock';
  if (capi.sqlite3_vfs_find(name)) return name;
  const struct = capi.sqlite3_vfs as unknown as {
    new (pointer?: unknown): FileSystem;
    structInfo: { sizeof: number };
  };
  const [usual, own] = [new struct(capi.sqlite3_vfs_find(null)), new struct()];
  const start = Number(usual.pointer);
  wasm.heap8u().copyWithin(Number(own.pointer), start, start + struct.structInfo.sizeof);
  // In version 1 the clock has one function (sqlite.org/c3ref/vfs.html).
  own.$iVersion = 1;
  own.$zName = wasm.allocCString(name, false) as unknown as number;
  own.$pNext = 0;
  own.installMethod('xCurrentTime', (_, at) => {
    wasm.poke(at as never, now, 'double');
    return 0;
  });
  usual.dispose();
  capi.sqlite3_vfs_register(own.pointer as never, 0);
  return name;
}

/** Builds a database by statements and returns its bytes. */
export function buildImage({ sqlite }: Engine, statements: readonly string[]): Uint8Array {
  const database = new sqlite.oo1.DB(':memory:');
  try {
    database.exec(['PRAGMA page_size = 4096', 'BEGIN', ...statements, 'COMMIT'].join(';\n'));
    return sqlite.capi.sqlite3_js_db_export(database);
  } finally {
    database.close();
  }
}

export class ReadOnlyDatabase {
  private looks = 0;
  private startedAt = 0;
  private memoryAtStart = 0;
  private reached = '';
  private denied = '';

  private constructor(
    private readonly sqlite: Sqlite3Static,
    private readonly database: Database,
    readonly bytes: number,
  ) {}

  /** Opens the image of a database. Throws SqlError if it is none. */
  static open({ sqlite, clock }: Engine, image: Uint8Array): ReadOnlyDatabase {
    const { capi, wasm } = sqlite;
    const database = new sqlite.oo1.DB({ filename: ':memory:', vfs: clock });
    try {
      const at = wasm.allocFromTypedArray(image);
      const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_READONLY;
      const size = image.length as never;
      database.checkRc(capi.sqlite3_deserialize(database.pointer!, 'main', at as never, size, size, flags as never));
      const own = new ReadOnlyDatabase(sqlite, database, image.length);
      own.secure();
      return own;
    } catch (error) {
      database.close();
      throw new SqlError(`This is no SQLite database that can be opened: ${plain(error)}`);
    }
  }

  private secure(): void {
    const { capi } = this.sqlite;
    const pointer = this.database.pointer!;
    // Reads the schema: a file that is no database fails here.
    this.database.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; SELECT count(*) FROM sqlite_schema');
    const limits: [number, number][] = [
      [capi.SQLITE_LIMIT_LENGTH, Math.max(bounds.cell, bounds.statement)],
      [capi.SQLITE_LIMIT_SQL_LENGTH, bounds.statement * 4],
      [capi.SQLITE_LIMIT_EXPR_DEPTH, 200],
      [capi.SQLITE_LIMIT_COMPOUND_SELECT, 50],
      [capi.SQLITE_LIMIT_VDBE_OP, 100_000],
      [capi.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200],
      [capi.SQLITE_LIMIT_COLUMN, 500],
      [capi.SQLITE_LIMIT_ATTACHED, 0],
      [capi.SQLITE_LIMIT_TRIGGER_DEPTH, 1],
    ];
    for (const [limit, value] of limits) capi.sqlite3_limit(pointer, limit as never, value);
    capi.sqlite3_progress_handler(pointer, stepsBetween, () => this.look(), 0 as never);
    capi.sqlite3_set_authorizer(
      pointer,
      (_, code, first, second) => this.authorize(code, String(first || ''), String(second || '')),
      0 as never,
    );
  }

  private authorize(code: number, first: string, second: string): number {
    const { capi } = this.sqlite;
    const isAllowed =
      code === capi.SQLITE_SELECT ||
      code === capi.SQLITE_READ ||
      code === capi.SQLITE_RECURSIVE ||
      (code === capi.SQLITE_FUNCTION && functions.has(second.toLowerCase())) ||
      (code === capi.SQLITE_PRAGMA && pragmas.has(first.toLowerCase()));
    if (isAllowed) return capi.SQLITE_OK;
    this.denied ||= this.reasonAgainst(code, first, second);
    return capi.SQLITE_DENY;
  }

  private reasonAgainst(code: number, first: string, second: string): string {
    const { capi } = this.sqlite;
    if (code === capi.SQLITE_FUNCTION) return `the function ${second} is not available`;
    if (code === capi.SQLITE_PRAGMA) return `PRAGMA ${first} is not available`;
    return 'the database can only be read';
  }

  /** Looks at the bounds of the running statement; a number other than 0 ends it. */
  private look(): number {
    this.looks++;
    if (this.looks * stepsBetween > bounds.steps) this.reached = `${bounds.steps.toLocaleString('en')} steps`;
    else if (performance.now() - this.startedAt > bounds.milliseconds) this.reached = `${bounds.milliseconds} ms`;
    else if (this.memory() - this.memoryAtStart > bounds.memory) this.reached = `${bounds.memory / 1e6} MB of memory`;
    return this.reached ? 1 : 0;
  }

  private memory(): number {
    const { capi, wasm } = this.sqlite;
    const [current, highest] = wasm.allocPtr(2, true) as unknown as [number, number];
    try {
      capi.sqlite3_status64(capi.SQLITE_STATUS_MEMORY_USED, current as never, highest as never, 0);
      return Number(wasm.peek(current as never, 'i64'));
    } finally {
      wasm.dealloc(current as never);
    }
  }

  /** Runs one statement that reads. Throws SqlError with the reason otherwise. */
  run(sql: string): Result {
    if (sql.length > bounds.statement)
      throw new SqlError(`the statement has ${sql.length} characters, and ${bounds.statement} is the most`);
    this.looks = 0;
    this.startedAt = performance.now();
    this.memoryAtStart = this.memory();
    this.reached = '';
    this.denied = '';
    try {
      return this.execute(sql);
    } catch (error) {
      throw error instanceof SqlError ? error : new SqlError(this.reasonOf(error));
    }
  }

  private reasonOf(error: unknown): string {
    if (this.reached) return `the statement was stopped after ${this.reached}: ask for less`;
    return this.denied || plain(error);
  }

  private execute(sql: string): Result {
    const { capi } = this.sqlite;
    const [statement, rest] = this.prepare(sql);
    try {
      if (isMore(rest)) throw new SqlError('one statement at a time');
      if (!statement) throw new SqlError('there is no statement');
      if (!capi.sqlite3_stmt_readonly(statement as never)) throw new SqlError('the database can only be read');
      const count = capi.sqlite3_column_count(statement as never);
      const columns = Array.from({ length: count }, (_, k) => capi.sqlite3_column_name(statement as never, k) ?? '');
      return { columns, rows: this.rowsOf(statement, count) };
    } finally {
      if (statement) capi.sqlite3_finalize(statement as never);
    }
  }

  /** Prepares the first statement of a text. Returns its pointer, 0 for none, and the rest of the text. */
  private prepare(sql: string): [number, string] {
    const { capi, wasm } = this.sqlite;
    const scope = wasm.scopedAllocPush();
    try {
      const [text, length] = wasm.scopedAllocCString(sql, true) as unknown as [number, number];
      const [statement, tail] = wasm.scopedAllocPtr(2, true) as unknown as [number, number];
      const code = capi.sqlite3_prepare_v3(
        this.database.pointer!,
        text as never,
        length,
        0,
        statement as never,
        tail as never,
      );
      this.database.checkRc(code);
      const read = Number(wasm.peekPtr(tail as never)) - Number(text);
      const rest = new TextDecoder().decode(new TextEncoder().encode(sql).subarray(read));
      return [Number(wasm.peekPtr(statement as never)), rest];
    } finally {
      wasm.scopedAllocPop(scope);
    }
  }

  private rowsOf(statement: number, count: number): Value[][] {
    const { capi } = this.sqlite;
    const rows: Value[][] = [];
    let bytes = 0;
    for (;;) {
      const code = capi.sqlite3_step(statement as never);
      if (code === capi.SQLITE_DONE) return rows;
      if (code !== capi.SQLITE_ROW) this.database.checkRc(code);
      const row = Array.from({ length: count }, (_, k) => this.valueAt(statement, k));
      bytes += row.reduce((sum: number, value) => sum + sizeOf(value), 0);
      rows.push(row);
      if (rows.length > bounds.rows)
        throw new SqlError(`the result has more than ${bounds.rows.toLocaleString('en')} rows`);
      if (bytes > bounds.bytes) throw new SqlError(`the result has more than ${bounds.bytes / 1e6} MB`);
    }
  }

  private valueAt(statement: number, column: number): Value {
    const { capi } = this.sqlite;
    const pointer = statement as never;
    switch (capi.sqlite3_column_type(pointer, column)) {
      case capi.SQLITE_NULL:
        return null;
      case capi.SQLITE_INTEGER: {
        const value = BigInt(capi.sqlite3_column_int64(pointer, column));
        const number = Number(value);
        return Number.isSafeInteger(number) ? number : value;
      }
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(pointer, column);
      case capi.SQLITE_BLOB:
        return capi.sqlite3_column_js(pointer, column) as unknown as Uint8Array;
      default:
        return capi.sqlite3_column_text(pointer, column) ?? '';
    }
  }

  /** The image, to compare with the one that was opened. */
  image(): Uint8Array {
    return this.sqlite.capi.sqlite3_js_db_export(this.database);
  }

  close(): void {
    this.database.close();
  }
}

const sizeOf = (value: Value) => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8);

/** SQLite's message without the name of the error's code. */
const plain = (error: unknown) => (error as Error).message.replace(/^SQLITE_\w+: sqlite3 result code \d+: /, '');

/** True if a text has more than spaces, semicolons and comments. */
const isMore = (rest: string) => rest.replace(/--[^\n]*(\n|$)|\/\*[\s\S]*?(\*\/|$)|[\s;]/g, '') !== '';
