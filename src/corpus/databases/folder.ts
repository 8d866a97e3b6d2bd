/** Kept databases in a folder, on Node: `NAME.sqlite` beside `NAME.questions.json`, in `databases` of the corpora. */
import { CorpusError } from '../lines.ts';
import { defaultFolder } from '../store-folder.ts';
import { type DatabaseStore, type DatabaseWithQuestions, type KeptDatabase, noDatabase } from './store.ts';

const ending = '.sqlite';

/** The file of a name, without its ending. */
const plainName = (name: string): string => {
  if (!/^[\w. -]{1,100}$/.test(name) || /^\.|\.$/.test(name))
    throw new CorpusError(
      `A database on disk cannot be named "${name}": use up to 100 letters, digits, spaces, dots and dashes.`,
    );
  return name;
};

export class FolderDatabases implements DatabaseStore {
  constructor(private readonly folder = `${defaultFolder()}/databases`) {}

  private async fs() {
    return import('node:fs/promises');
  }

  private path(name: string): string {
    return `${this.folder}/${plainName(name)}`;
  }

  async list(): Promise<KeptDatabase[]> {
    const { readdir, stat } = await this.fs();
    const files = (await readdir(this.folder).catch((): string[] => [])).filter((file) => file.endsWith(ending)).sort();
    return Promise.all(
      files.map(async (file) => {
        const name = file.slice(0, -ending.length);
        const { size } = await stat(`${this.folder}/${file}`);
        return { name, bytes: size, questions: (await this.read(name)).questions.length };
      }),
    );
  }

  async read(name: string): Promise<DatabaseWithQuestions> {
    const { readFile } = await this.fs();
    try {
      // SQLite's library takes no Buffer.
      const bytes = new Uint8Array(await readFile(`${this.path(name)}${ending}`));
      return { bytes, questions: JSON.parse(await readFile(`${this.path(name)}.questions.json`, 'utf8')) };
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') throw new CorpusError(noDatabase(name));
      throw error;
    }
  }

  async keep(name: string, { bytes, questions }: DatabaseWithQuestions): Promise<void> {
    const { mkdir, writeFile } = await this.fs();
    await mkdir(this.folder, { recursive: true });
    await writeFile(`${this.path(name)}.questions.json`, JSON.stringify(questions));
    await writeFile(`${this.path(name)}${ending}`, bytes);
  }

  async remove(name: string): Promise<void> {
    const { rm } = await this.fs();
    await rm(`${this.path(name)}${ending}`, { force: true });
    await rm(`${this.path(name)}.questions.json`, { force: true });
  }
}
