/** Files by name in a folder of the corpora, on Node: what the stores of databases, games and shops share. */
import { CorpusError } from './lines.ts';

export class KeptFolder {
  /** `what`: the things kept, in a sentence ("A shop on disk"). `ending`: that of the file that each name has. */
  constructor(
    private readonly what: string,
    private readonly ending: string,
    private readonly folder: string,
  ) {}

  private fs() {
    return import('node:fs/promises');
  }

  /** Path of a name's file. Throws CorpusError for a name that cannot be that of a file. */
  path(name: string, ending = this.ending): string {
    if (!/^[\w. -]{1,100}$/.test(name) || /^\.|\.$/.test(name))
      throw new CorpusError(
        `${this.what} cannot be named "${name}": use up to 100 letters, digits, spaces, dots and dashes.`,
      );
    return `${this.folder}/${name}${ending}`;
  }

  /** Names in order. */
  async names(): Promise<string[]> {
    const { readdir } = await this.fs();
    const files = (await readdir(this.folder).catch((): string[] => [])).filter((file) => file.endsWith(this.ending));
    return files.sort().map((file) => file.slice(0, -this.ending.length));
  }

  /** Content that `read` makes of a name's files. `absent`: message of the CorpusError where one does not exist. */
  async read<T>(absent: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') throw new CorpusError(absent);
      throw error;
    }
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const { mkdir, writeFile } = await this.fs();
    await mkdir(this.folder, { recursive: true });
    await writeFile(path, content);
  }

  async remove(path: string): Promise<void> {
    const { rm } = await this.fs();
    await rm(path, { force: true });
  }
}
