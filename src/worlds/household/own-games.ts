/** A person's own games: their tasks, and their houses, which are read when they are first played. */

import { openGames } from '../../corpus/games/open.ts';
import type { GameFile } from '../../corpus/games/store.ts';
import type { Split, Task } from '../../envs/env.ts';
import { WorldError } from '../../envs/env.ts';
import { householdDescription } from './description.ts';
import type { HouseholdOptions } from './options.ts';
import { type Game, readGame } from './original/game.ts';

/** One game in this many is held out if no folder is named `valid...`, as those of ALFWorld are. */
const heldOutEvery = 5;

const readKept = async (name: string) => (await openGames()).read(name);

export class OwnGames {
  private readonly files = new Map<string, Promise<readonly GameFile[]>>();

  private read(name: string): Promise<readonly GameFile[]> {
    const known = this.files.get(name) ?? readKept(name);
    this.files.set(name, known);
    // They may be kept later.
    known.catch(() => this.files.delete(name));
    return known;
  }

  clear(): void {
    this.files.clear();
  }

  async tasks(options: HouseholdOptions, split: Split): Promise<Task[]> {
    const files = await this.read(options.games);
    const isValid = ({ path }: GameFile) => /(^|\/)valid[^/]*\//.test(path);
    const marked = files.some(isValid);
    const heldOut = (file: GameFile, id: number) => (marked ? isValid(file) : id % heldOutEvery === 0);
    const ids = files.flatMap((file, id) => (heldOut(file, id) === (split === 'test') ? [id] : []));
    if (!ids.length)
      throw new WorldError(
        `The games "${options.games}" have none for ${split === 'test' ? 'evaluations' : 'training'}: add more games.`,
      );
    return ids.map((id) => ({
      world: householdDescription.name,
      id,
      options: { ...options },
      strata: { task: 'game' },
    }));
  }

  /** The game of a task. Throws with the game's path and the name of what the household does not know. */
  async game(id: number, name: string): Promise<Game> {
    const file = (await this.read(name))[id];
    if (!file) throw new WorldError(`The games "${name}" have no game ${id}.`);
    try {
      return readGame(file.text);
    } catch (error) {
      throw new WorldError(`${file.path}: ${(error as Error).message}`);
    }
  }
}
