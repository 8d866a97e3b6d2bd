/**
 * Files that are written whole or not at all: under another name first, and renamed when everything has reached the
 * disk. A full disk or a kill leaves the earlier file, or none, and at most a `.part` that the next write replaces.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Content of a file; a large one is a list of pieces. */
export type Content = string | Uint8Array | readonly Uint8Array[];

const piecesOf = (content: Content): readonly (string | Uint8Array)[] =>
  Array.isArray(content) ? content : [content as string | Uint8Array];

/** Writes a file whole. Throws the file system's error; `describeFileError` has a sentence for it. */
export function writeWhole(path: string, content: Content, mode = 0o666): void {
  const part = `${path}.part`;
  try {
    const file = openSync(part, 'w', mode);
    try {
      for (const piece of piecesOf(content)) writeFileSync(file, piece);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

const isEmptyFolder = (path: string) => statSync(path).isDirectory() && readdirSync(path).length === 0;

function writeInto(folder: string, files: ReadonlyMap<string, Content>): void {
  for (const [name, content] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeWhole(path, content, name.endsWith('.sh') ? 0o777 : undefined);
  }
}

/**
 * Writes a folder. A new or empty one appears with all its files at once, or not at all; in a folder with other files
 * each file is written whole.
 */
export function writeFolder(out: string, files: ReadonlyMap<string, Content>): void {
  if (existsSync(out) && !isEmptyFolder(out)) {
    writeInto(out, files);
    return;
  }
  const part = `${resolve(out)}.part`;
  try {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    writeInto(part, files);
    // Not every system renames a folder over an empty one.
    if (existsSync(out)) rmdirSync(out);
    renameSync(part, out);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

const advice: { readonly [code: string]: string } = {
  ENOSPC: 'there is no space left. Free some space, or choose another place',
  EDQUOT: 'the quota is used up. Free some space, or choose another place',
  EROFS: 'it is on a read-only disk. Choose another place',
  EACCES: 'this user may not write or read there. Choose another place, or change its permissions',
  EPERM: 'this user may not write or read there. Choose another place, or change its permissions',
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EMFILE: 'too many files are open. Close other programs',
};

const actions: { readonly [call: string]: string } = { open: 'opened', write: 'written', mkdir: 'made', read: 'read' };

/** A file system's error as one sentence; null for other errors. */
export function describeFileError(error: Error): string | null {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const known = code && advice[code];
  if (!known || !syscall) return null;
  const place = path ? path.replace(/\.part(?=$|[/\\])/, '') : 'A file';
  return `${place} cannot be ${actions[syscall] ?? 'written'}: ${known} (${code}).`;
}
