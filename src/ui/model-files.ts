/** Files of a folder that a person picks or drops, by whichever way this browser has. */

export interface PickedFiles {
  label: string;
  files: File[];
}

/** The folder that was dropped, or the files themselves. */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFiles> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folder = entries.find((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  if (folder) return { label: folder.name, files: await filesOf(folder) };
  const files = [...transfer.files];
  return { label: files.length === 1 ? files[0].name : 'files', files };
}

/** A reader hands out a hundred entries at a time. */
async function filesOf(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return files;
    const found = batch.filter((entry): entry is FileSystemFileEntry => entry.isFile);
    files.push(...(await Promise.all(found.map((each) => new Promise<File>((ok, no) => each.file(ok, no))))));
  }
}

/** What an input handed over: the folder's name is the first part of each path. */
export function inputFiles(list: FileList): PickedFiles {
  const files = [...list];
  const folder = files[0]?.webkitRelativePath.split('/')[0];
  return { label: folder || files[0]?.name || '', files };
}

/** Chromium only. */
const directoryPicker = () =>
  (globalThis as unknown as { showDirectoryPicker?(): Promise<FileSystemDirectoryHandle> }).showDirectoryPicker;

export const hasDirectoryPicker = () => directoryPicker() !== undefined;

/** Asks for a folder; null: the person closed the question. */
export async function pickedFolder(): Promise<PickedFiles | null> {
  try {
    const handle = await directoryPicker()!.call(globalThis);
    const files: File[] = [];
    for await (const entry of handle.values()) if (entry.kind === 'file') files.push(await entry.getFile());
    return { label: handle.name, files };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    throw error;
  }
}
