/** Kept games in a folder, on Node: `NAME.games.jsonl`, a line for each, in `games` of the corpora. */
import { CorpusError } from '../lines.ts';
import { defaultFolder } from '../store-folder.ts';
import { checkGames, type GameFile, type KeptGames, noGames } from './store.ts';

const ending = '.games.jsonl';

/** Checks that a name can be that of a file. */
const plainName = (name: string): string => {
  if (!/^[\w. -]{1,100}$/.test(name) || /^\.|\.$/.test(name))
    throw new CorpusError(
      `Games on disk cannot be named "${name}": use up to 100 letters, digits, spaces, dots and dashes.`,
    );
  return name;
};

export class FolderGames {
  constructor(private readonly folder = `${defaultFolder()}/games`) {}

  private async fs() {
    return import('node:fs/promises');
  }

  private path(name: string): string {
    return `${this.folder}/${plainName(name)}${ending}`;
  }

  async list(): Promise<KeptGames[]> {
    const { readdir } = await this.fs();
    const files = (await readdir(this.folder).catch((): string[] => [])).filter((file) => file.endsWith(ending)).sort();
    const names = files.map((file) => file.slice(0, -ending.length));
    return Promise.all(names.map(async (name) => ({ name, games: (await this.read(name)).length })));
  }

  /** Throws CorpusError if there are none of this name. */
  async read(name: string): Promise<GameFile[]> {
    const { readFile } = await this.fs();
    try {
      const lines = (await readFile(this.path(name), 'utf8')).split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as GameFile);
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') throw new CorpusError(noGames(name));
      throw error;
    }
  }

  async keep(name: string, games: readonly GameFile[]): Promise<void> {
    checkGames(games);
    const path = this.path(name);
    const { mkdir, writeFile } = await this.fs();
    await mkdir(this.folder, { recursive: true });
    await writeFile(path, `${games.map((game) => JSON.stringify(game)).join('\n')}\n`);
  }

  async remove(name: string): Promise<void> {
    const { rm } = await this.fs();
    await rm(this.path(name), { force: true });
  }
}
