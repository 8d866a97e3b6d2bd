/** The footer of a Parquet file: its columns, and the groups of its rows. */
import type { AsyncBuffer, ColumnMetaData, FileMetaData, SchemaTree } from 'hyparquet';
import { parquetMetadataAsync, parquetSchema } from 'hyparquet';
import type { ByteSource } from './bytes.ts';
import { checkThrift } from './parquet-thrift.ts';

const mostFooterBytes = 32 * 2 ** 20;
/** Columns and groups of columns in a schema, and its levels. */
const [mostElements, mostLevels] = [1000, 40];
/** Kinds of columns that are no text, number, list or object. A few bytes of a variant can be any number of values. */
const unread = ['VARIANT', 'GEOMETRY', 'GEOGRAPHY', 'FILE', 'BSON'];

/** Paths of the columns that hold values. */
export const leavesOf = ({ children, path }: SchemaTree): string[][] =>
  children.length === 0 ? [path] : children.flatMap(leavesOf);

function checkTree({ children, element, path }: SchemaTree): void {
  if (path.length > mostLevels) throw new Error(`it has more than ${mostLevels} levels of columns`);
  const kind = element.logical_type?.type ?? element.converted_type ?? '';
  const name = path.join('.').slice(0, 80);
  if (unread.includes(kind)) throw new Error(`column ${name} is of the kind ${kind}, which is not read`);
  if (element.name === '__proto__') throw new Error(`column ${name} has a name that objects cannot have`);
  if (new Set(children.map((child) => child.element.name)).size < children.length)
    throw new Error(`two columns of ${name || 'the file'} have one name`);
  for (const child of children) checkTree(child);
}

async function checkFooter(source: ByteSource): Promise<void> {
  const end = await source.slice(Math.max(0, source.size - 8), source.size);
  const length = end.length < 8 ? 0 : new DataView(end.buffer, end.byteOffset).getUint32(0, true);
  if (length > Math.min(mostFooterBytes, source.size - 8))
    throw new Error(`its footer claims ${length} bytes; at most ${mostFooterBytes} are read`);
  const footer = await source.slice(source.size - 8 - length, source.size - 8);
  checkThrift(new DataView(footer.buffer, footer.byteOffset, footer.byteLength), 0);
}

function checkRows({ row_groups: groups, num_rows: rows }: FileMetaData): void {
  let inGroups = 0n;
  for (const { num_rows: each } of groups) {
    if (!(each >= 0n)) throw new Error(`a group of ${each} rows`);
    inGroups += each;
  }
  if (inGroups !== rows) throw new Error(`it lists ${rows} rows and has ${inGroups}`);
}

/** Checks that every column has bytes of its own: many small columns could be the same large page. */
function checkPlaces({ row_groups: groups }: FileMetaData): void {
  const places: [start: number, end: number][] = [];
  for (const { columns } of groups)
    for (const { meta_data: column } of columns)
      if (column) places.push([startOf(column), startOf(column) + Number(column.total_compressed_size)]);
  places.sort(([a], [b]) => a - b);
  for (const [i, [start]] of places.entries())
    if (i > 0 && start < places[i - 1][1]) throw new Error(`two columns share bytes from ${start} on`);
}

/** Offset of a column's first page. */
export const startOf = ({ dictionary_page_offset: dictionary, data_page_offset: data }: ColumnMetaData) =>
  Number(dictionary || data);

/** Reads and checks the footer. Throws Error for one that cannot be true. */
export async function readFooter(
  source: ByteSource,
  file: AsyncBuffer,
): Promise<{ metadata: FileMetaData; tree: SchemaTree }> {
  await checkFooter(source);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  if (metadata.schema.length > mostElements) throw new Error(`it has more than ${mostElements} columns`);
  const tree = parquetSchema(metadata);
  checkTree(tree);
  checkRows(metadata);
  checkPlaces(metadata);
  return { metadata, tree };
}
