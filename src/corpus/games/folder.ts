/** Kept games in a folder, on Node: `NAME.games.jsonl`, a line for each, in `games` of the corpora. */
import { KeptFolder } from '../kept-folder.ts';
import { defaultFolder } from '../store-folder.ts';
import { type GameFile, type GameStore, type KeptGames, noGames } from './store.ts';

export class FolderGames implements GameStore {
  private readonly kept: KeptFolder;

  constructor(folder = `${defaultFolder()}/games`) {
    this.kept = new KeptFolder('Games on disk', '.games.jsonl', folder);
  }

  async list(): Promise<KeptGames[]> {
    const names = await this.kept.names();
    return Promise.all(names.map(async (name) => ({ name, games: (await this.read(name)).length })));
  }

  /** Throws CorpusError if there are none of this name. */
  async read(name: string): Promise<GameFile[]> {
    const { readFile } = await import('node:fs/promises');
    const text = await this.kept.read(noGames(name), () => readFile(this.kept.path(name), 'utf8'));
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as GameFile);
  }

  async keep(name: string, games: readonly GameFile[]): Promise<void> {
    await this.kept.write(this.kept.path(name), `${games.map((game) => JSON.stringify(game)).join('\n')}\n`);
  }

  async remove(name: string): Promise<void> {
    await this.kept.remove(this.kept.path(name));
  }
}
