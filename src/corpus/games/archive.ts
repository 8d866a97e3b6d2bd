/** Game files of ALFWorld in a zip archive. */
import { CorpusError } from '../lines.ts';
import { type GameFile, isGamePath } from './store.ts';

/** Unpacks the entries of an archive whose name is wanted. Throws an error named ZipError for what is no archive. */
type Unzip = (bytes: Uint8Array, wanted: (name: string) => boolean) => { [name: string]: Uint8Array };

/** The game files of an archive, by their paths. Throws CorpusError with the reason if it cannot be read whole. */
export function gamesInArchive(bytes: Uint8Array, unzip: Unzip): GameFile[] {
  try {
    const decoder = new TextDecoder();
    return Object.entries(unzip(bytes, isGamePath)).map(([path, file]) => ({ path, text: decoder.decode(file) }));
  } catch (error) {
    if ((error as Error).name !== 'ZipError') throw error;
    throw new CorpusError(`The file is not a zip archive that can be read: ${(error as Error).message}.`);
  }
}
