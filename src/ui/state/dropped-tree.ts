/** Files of dropped folders with their paths, at any depth. Apart from picked-files.ts, which the page loads at its start. */
import { entriesIn, fileOf, isFile } from './picked-files.ts';

/** Files of dropped entries and of all folders in them, by their paths. */
export async function filesWithin(entries: readonly FileSystemEntry[]): Promise<{ path: string; file: File }[]> {
  const found: { path: string; file: File }[] = [];
  // The last is next: folders may be nested more deeply than calls.
  const waiting = [...entries].reverse();
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (isFile(entry)) found.push({ path: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry) });
    else for (const each of (await entriesIn(entry as FileSystemDirectoryEntry)).reverse()) waiting.push(each);
  }
  return found;
}
