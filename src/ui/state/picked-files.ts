/**
 * Files of a folder that a person chose or dropped: those directly in the folder, those in the sub-folders of the Hub's
 * layout, and those in the adapter's sub-folder of a folder merged by verl.
 */
import { insideMerged, type PickedFile, subFolders } from '../../models/protocol.ts';

export interface PickedFiles {
  label: string;
  files: PickedFile[];
}

const longestName = 80;

/**
 * Name of a file in a sentence: cut, and with a sign in place of line breaks, control characters and those that turn the
 * direction of writing, which could hide the name's end.
 */
export function shownName(name: string): string {
  const plain = name.slice(0, longestName + 1).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return name.length > longestName ? `${plain.slice(0, longestName)}…` : plain;
}

const readFolders = [...subFolders, insideMerged];

const pickedFile = (file: File): PickedFile => ({ name: file.name, file });

/** Files of the dropped folder, or the dropped files themselves. */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFiles> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folder = entries.find((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  if (folder) return { label: folder.name, files: await filesOf(folder) };
  const files = [...transfer.files];
  return { label: files.length === 1 ? files[0].name : 'files', files: files.map(pickedFile) };
}

/** All entries of a folder: a directory reader returns at most a hundred a call. */
export async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return entries;
    entries.push(...batch);
  }
}

export const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/** File of an entry. Rejects with its name, for example if it was deleted after the drop. */
export const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) =>
    entry.file(resolve, ({ message }) => reject(new Error(`“${shownName(entry.name)}”: ${message}`))),
  );

async function filesOf(folder: FileSystemDirectoryEntry, path = ''): Promise<PickedFile[]> {
  const files: PickedFile[] = [];
  for (const entry of await entriesIn(folder)) {
    if (isFile(entry)) files.push({ name: path + entry.name, file: await fileOf(entry) });
    else if (!path && readFolders.includes(entry.name))
      files.push(...(await filesOf(entry as FileSystemDirectoryEntry, `${entry.name}/`)));
  }
  return files;
}

/** Files of an input element. The first part of each path is the folder's name. */
export function inputFiles(list: Iterable<File>): PickedFiles {
  const files = [...list].map((file) => {
    const [folder, ...path] = file.webkitRelativePath.split('/');
    return { folder, name: path.join('/') || file.name, file };
  });
  const folders = ({ name }: PickedFile) => name.split('/').slice(0, -1).join('/');
  const kept = files.filter((file) => ['', ...readFolders].includes(folders(file)));
  return { label: files[0]?.folder || files[0]?.name || '', files: kept.map(({ name, file }) => ({ name, file })) };
}

/** Only Chromium has this function. */
const directoryPicker = () =>
  (globalThis as unknown as { showDirectoryPicker?(): Promise<FileSystemDirectoryHandle> }).showDirectoryPicker;

export const hasDirectoryPicker = () => directoryPicker() !== undefined;

/** Asks for a folder; null if the person closed the dialog. */
export async function pickedFolder(): Promise<PickedFiles | null> {
  try {
    const handle = await directoryPicker()!.call(globalThis);
    return { label: handle.name, files: await filesUnder(handle) };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    throw error;
  }
}

async function filesUnder(folder: FileSystemDirectoryHandle, path = ''): Promise<PickedFile[]> {
  const files: PickedFile[] = [];
  for await (const entry of folder.values()) {
    if (entry.kind === 'file') files.push({ name: path + entry.name, file: await entry.getFile() });
    else if (!path && readFolders.includes(entry.name)) files.push(...(await filesUnder(entry, `${entry.name}/`)));
  }
  return files;
}
