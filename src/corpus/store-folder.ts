/**
 * Corpora in a folder, on Node: one database file for each. Source files are read from disk through the same interface
 * as files dropped on a page.
 */

import { type ByteSource, CorpusError } from './lines.ts';
import { openFile, type Sqlite } from './retrieval/sqlite.ts';
import { isShadowFile } from './shadow-files.ts';
import type { CorpusDisk } from './store.ts';

/** The folder TABGYM_CORPORA, or `corpora` in the working directory. */
export const defaultFolder = (): string => process.env.TABGYM_CORPORA ?? 'corpora';

export class FolderDisk implements CorpusDisk {
  constructor(private readonly folder = defaultFolder()) {}

  private async fs() {
    return import('node:fs/promises');
  }

  async files(): Promise<string[]> {
    const { readdir } = await this.fs();
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => name.endsWith('.sqlite'));
  }

  async open(file: string): Promise<Sqlite> {
    const { mkdir } = await this.fs();
    await mkdir(this.folder, { recursive: true });
    await this.freeLock(file);
    return openFile(`${this.folder}/${file}`);
  }

  /**
   * Removes a stale lock. node-sqlite3-wasm locks a database by a folder beside it, which a killed process leaves
   * behind.
   */
  private async freeLock(file: string): Promise<void> {
    const { readFile, rm, stat, writeFile } = await this.fs();
    const [lock, owner] = [`${this.folder}/${file}.lock`, `${this.folder}/${file}.owner`];
    if (await stat(lock).catch(() => null)) {
      const pid = Number(await readFile(owner, 'utf8').catch(() => '0'));
      if (isRunning(pid))
        throw new CorpusError(
          `${this.folder}/${file} is open in another process (${pid}): wait until it has finished, or stop it.`,
        );
      await rm(lock, { recursive: true });
    }
    await writeFile(owner, String(process.pid));
  }

  async remove(file: string): Promise<void> {
    const { rm } = await this.fs();
    for (const suffix of ['', '-journal', '.lock', '.owner'])
      await rm(`${this.folder}/${file}${suffix}`, { force: true, recursive: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** Files on disk as sources; a folder stands for all files in it. */
export async function openSources(paths: readonly string[]): Promise<ByteSource[]> {
  const { readdir, stat } = await import('node:fs/promises');
  const { createReadStream } = await import('node:fs');
  const { Readable } = await import('node:stream');
  const sources: ByteSource[] = [];
  for (const path of paths) {
    const facts = await stat(path).catch(() => null);
    if (!facts) throw new CorpusError(`${path} does not exist.`);
    if (facts.isDirectory()) {
      const names = (await readdir(path)).filter((name) => !isShadowFile(name)).sort();
      sources.push(...(await openSources(names.map((name) => `${path}/${name}`))));
    } else
      sources.push({
        name: path,
        size: facts.size,
        stream: (start) => Readable.toWeb(createReadStream(path, { start })) as unknown as ReadableStream<Uint8Array>,
      });
  }
  return sources;
}
