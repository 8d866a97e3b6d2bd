/** Game files in a zip archive: its central directory, with stored and deflated entries. */
import { CorpusError } from '../lines.ts';
import { type GameFile, isGamePath, largestGames } from './store.ts';

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Position of the record that ends the archive. */
function endOf(view: DataView): number {
  for (let at = view.byteLength - endBytes; at >= 0; at--) if (view.getUint32(at, true) === endMark) return at;
  throw new CorpusError('The file is not a zip archive, or is not complete.');
}

/** The game files of an archive, by their paths. */
export async function gamesInArchive(bytes: Uint8Array): Promise<GameFile[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const games: GameFile[] = [];
  const decoder = new TextDecoder();
  let at = view.getUint32(end + 16, true);
  let size = 0;
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + entryBytes > bytes.length || view.getUint32(at, true) !== entryMark)
      throw new CorpusError('The zip archive has a damaged directory.');
    const [method, packed, full] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 24, true),
    ];
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const header = view.getUint32(at + 42, true);
    const path = decoder.decode(bytes.subarray(at + entryBytes, at + entryBytes + name));
    at += entryBytes + name + extra + comment;
    if (!isGamePath(path)) continue;
    size += full;
    if (size > largestGames)
      throw new CorpusError(`The games of the archive have more than ${largestGames} bytes: choose fewer.`);
    if (method !== 0 && method !== 8)
      throw new CorpusError(`${path} is packed by method ${method}, which is not known.`);
    const start = header + headerBytes + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const data = bytes.subarray(start, start + packed);
    games.push({ path, text: decoder.decode(method === 8 ? await inflate(data) : data) });
  }
  return games;
}
