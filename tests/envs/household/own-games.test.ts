// A person's own games: a folder and a zip of game files, kept, listed as tasks and played by their walkthrough.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../../scripts/build-wasm.mjs';
import { gamesInArchive } from '../../../src/corpus/games/archive.ts';
import { FolderGames } from '../../../src/corpus/games/folder.ts';
import { importGames } from '../../../src/corpus/games/import.ts';
import type { GameFile } from '../../../src/corpus/games/store.ts';
import { unzip, zip } from '../../../src/store/zip.ts';
import { readGame, writeGame } from '../../../src/worlds/household/original/game.ts';
import { Household } from '../../../src/worlds/household/world.ts';
import { checkOfOwn } from '../../../src/worlds/registry.ts';
import { walkHouse } from '../../../tools/household/walks.ts';
import { play } from '../small-worlds.ts';

let world: Household;
let folder: string;
const before = process.env.TABGYM_CORPORA;

beforeAll(async () => {
  await buildWasm();
  world = await Household.open();
  folder = mkdtempSync(join(tmpdir(), 'games-'));
  process.env.TABGYM_CORPORA = folder;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env.TABGYM_CORPORA;
  else process.env.TABGYM_CORPORA = before;
});

async function gameOf(seed: number, dialect: 'put' | 'move', path: string): Promise<GameFile> {
  const house = walkHouse(seed);
  await world.resetHouses([0], [house], { dialect });
  return { path, text: writeGame(house, dialect, (await world.oracle([0]))[0]!) };
}

/** A zip archive with an entry stored and the others deflated. */
const archiveOf = (files: readonly GameFile[]) =>
  zip(files.map(({ path, text }, k) => ({ name: path, bytes: new TextEncoder().encode(text), stored: k === 0 })));

it('are kept, split by their folders, and won by their walkthrough in their own dialect', async () => {
  const files = [
    await gameOf(1, 'put', 'train/a/game.tw-pddl'),
    await gameOf(2, 'move', 'train/b/game.tw-pddl'),
    await gameOf(3, 'put', 'valid_unseen/c/game.tw-pddl'),
  ];
  // macOS puts a file of attributes beside each (github.com/ultralytics/hub/issues/89).
  const others = ['train/a/traj_data.json', '__MACOSX/train/a/._game.tw-pddl', 'train/b/._game.tw-pddl'];
  const found = gamesInArchive(archiveOf([...files, ...others.map((path) => ({ path, text: '{}' }))]), unzip);
  expect(found).toEqual(files);
  await new FolderGames().keep('mine', found);
  const [train, test] = [await world.tasks({ games: 'mine' }, 'train'), await world.tasks({ games: 'mine' }, 'test')];
  expect([train, test].map((tasks) => tasks.map(({ id }) => id))).toEqual([[0, 1], [2]]);
  for (const task of [...train, ...test]) {
    await world.reset([0], [task]);
    const { walkthrough } = readGame(files[task.id].text);
    expect((await play(world, 0, walkthrough)).at(-1)).toMatchObject({ done: true, reward: 1, valid: true });
  }
});

it('are refused by their path and what is not known', async () => {
  const good = await gameOf(4, 'move', 'a/game.tw-pddl');
  const changed = { path: 'b/game.tw-pddl', text: good.text.replaceAll('coolobject', 'freezeobject') };
  await new FolderGames().keep('bad', [changed, good]);
  const [task] = await world.tasks({ games: 'bad' }, 'test');
  await expect(world.reset([0], [task])).rejects.toThrow(/^b\/game.tw-pddl: .*"freezeobject"/);
  await expect(world.tasks({ games: 'none' }, 'train')).rejects.toThrow(/no games named "none"/);
  const check = await checkOfOwn('games');
  const bring = (name: string, files: readonly GameFile[]) => importGames(new FolderGames(), name, files, check);
  await expect(bring('empty', [])).rejects.toThrow(/no game\.tw-pddl/);
  await expect(bring('bad', [changed])).rejects.toThrow(/None of the games .* b\/game\.tw-pddl: .*"freezeobject"/);
  expect(await bring('some', [changed, good])).toMatchObject({
    games: 1,
    refused: 1,
    examples: [expect.stringMatching(/^b\/game/)],
  });
  expect(await new FolderGames().read('some')).toEqual([good]);
  expect(() => gamesInArchive(new Uint8Array(40), unzip)).toThrow(/not a zip archive/);
  const archive = archiveOf([changed, good]);
  archive[100] ^= 1;
  expect(() => gamesInArchive(archive, unzip)).toThrow(/not a zip archive that can be read/);
  await new FolderGames().keep('none', [good]);
  expect(await world.tasks({ games: 'none' }, 'test')).toHaveLength(1);
});
