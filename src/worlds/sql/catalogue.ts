/** Tables of a database as SQLite itself describes them, for made databases and a person's own. */
import type { ReadOnlyDatabase } from '../../corpus/databases/read-only.ts';

export interface CatalogueTable {
  name: string;
  create: string;
  rows: number;
  columns: CatalogueColumn[];
}

interface CatalogueColumn {
  name: string;
  type: string;
  isKey: boolean;
  /** "table.column" that it references, or empty. */
  references: string;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const text = (name: string) => `'${name.replaceAll("'", "''")}'`;

function columnsOf(database: ReadOnlyDatabase, table: string): CatalogueColumn[] {
  const keys = database.run(`SELECT "from", "table", "to" FROM pragma_foreign_key_list(${text(table)})`).rows;
  const target = new Map(keys.map(([from, to, column]) => [String(from), `${to}.${column ?? 'id'}`]));
  return database.run(`SELECT name, type, pk FROM pragma_table_info(${text(table)})`).rows.map(([name, type, key]) => ({
    name: String(name),
    type: String(type),
    isKey: Number(key) > 0,
    references: target.get(String(name)) ?? '',
  }));
}

export function catalogueOf(database: ReadOnlyDatabase): CatalogueTable[] {
  const tables =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rootpage";
  return database.run(tables).rows.map(([given, create]) => {
    const name = String(given);
    const [[rows]] = database.run(`SELECT COUNT(*) FROM ${quoted(name)}`).rows;
    return { name, create: String(create), rows: Number(rows), columns: columnsOf(database, name) };
  });
}

/** First rows of a table. */
export const firstRows = (database: ReadOnlyDatabase, table: string, count: number) =>
  database.run(`SELECT * FROM ${quoted(table)} LIMIT ${count}`);

/** True if a statement names the table. */
export const namesTable = (statement: string, table: string): boolean =>
  new RegExp(`(?<![\\w])${table.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w])`, 'i').test(statement);
