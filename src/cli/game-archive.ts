/** Game files of ALFWorld in a zip archive. */
import { type GameFile, isGamePath } from '../corpus/games/store.ts';
import { CorpusError } from '../corpus/lines.ts';
import { unzip, ZipError } from '../store/zip.ts';

/** The game files of an archive, by their paths. Throws CorpusError with the reason if it cannot be read whole. */
export function gamesInArchive(bytes: Uint8Array): GameFile[] {
  try {
    const decoder = new TextDecoder();
    return Object.entries(unzip(bytes, isGamePath)).map(([path, file]) => ({ path, text: decoder.decode(file) }));
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new CorpusError(`The file is not a zip archive that can be read: ${error.message}.`);
  }
}
