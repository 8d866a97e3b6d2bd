/** All files of a drop, those of nested folders included, each with its path. */
import type { PathFile } from '../../corpus/own-files.ts';

/** The entries are read before anything is awaited: a drop's data is gone afterwards. */
export function droppedTree(transfer: DataTransfer | null): Promise<PathFile[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = [...(transfer?.files ?? [])];
  return entries.some(Boolean)
    ? readEntries(entries)
    : Promise.resolve(files.map((file) => ({ path: file.name, file })));
}

/** Files of an input element, with their paths in the chosen folder. */
export const chosenTree = (input: HTMLInputElement): PathFile[] =>
  [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

async function readEntries(entries: readonly (FileSystemEntry | null)[]): Promise<PathFile[]> {
  const found: PathFile[] = [];
  for (const entry of entries) {
    if (entry?.isFile) {
      const file = await new Promise<File>((ok, no) => (entry as FileSystemFileEntry).file(ok, no));
      found.push({ path: entry.fullPath.replace(/^\//, ''), file });
    } else if (entry?.isDirectory) found.push(...(await readFolder(entry as FileSystemDirectoryEntry)));
  }
  return found;
}

/** A directory reader returns at most a hundred entries per call. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<PathFile[]> {
  const reader = folder.createReader();
  const found: PathFile[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((ok, no) => reader.readEntries(ok, no));
    if (!batch.length) return found;
    found.push(...(await readEntries(batch)));
  }
}
