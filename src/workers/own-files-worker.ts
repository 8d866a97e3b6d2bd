/**
 * Worker that imports, lists and deletes the databases, shops and games that a person keeps. SQLite is loaded when a
 * database is brought.
 */
import * as Comlink from 'comlink';
import { importDatabase } from '../corpus/databases/import.ts';
import { openDatabases } from '../corpus/databases/open.ts';
import { gamesInArchive } from '../corpus/games/archive.ts';
import { importGames } from '../corpus/games/import.ts';
import { openGames } from '../corpus/games/open.ts';
import { type GameFile, isGamePath } from '../corpus/games/store.ts';
import { textIn, unreadable } from '../corpus/lines.ts';
import type { OwnFilesApi, PathFile } from '../corpus/own-files.ts';
import { checkShopFile, importShop } from '../corpus/shops/import.ts';
import { openShops } from '../corpus/shops/open.ts';
import { unzip } from '../store/zip.ts';
import { checkOfOwn } from '../worlds/registry.ts';

const stores = { databases: openDatabases, shops: openShops, games: openGames };

/** Bytes of a file. Rejects with its path, for example if it was deleted or changed after it was chosen. */
async function bytesOf(file: File, path = file.name): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw unreadable(path, error as Error);
  }
}

const textOfFile = async (file: File, path = file.name) => textIn(await bytesOf(file, path), path);

async function gamesOf({ path, file }: PathFile): Promise<GameFile[]> {
  if (/\.zip$/i.test(path)) return gamesInArchive(await bytesOf(file, path), unzip);
  return isGamePath(path) ? [{ path, text: await textOfFile(file, path) }] : [];
}

async function textOf(file: File): Promise<string> {
  checkShopFile(file.name, file.size);
  return textOfFile(file);
}

const api: OwnFilesApi = {
  async list(kind) {
    return (await stores[kind]()).list();
  },
  async remove(kind, name) {
    await (await stores[kind]()).remove(name);
  },
  async bringDatabase(name, database, questions) {
    const bytes = await bytesOf(database);
    const id = database.name.replace(/\.\w+$/, '');
    return importDatabase(await openDatabases(), { name, bytes, questions: await textOfFile(questions), id });
  },
  async bringShop(name, { products, attributes, human, nouns }) {
    return importShop(await openShops(), name, {
      products: await textOf(products),
      ...(attributes && { attributes: await textOf(attributes) }),
      ...(human && { human: await textOf(human) }),
      ...(nouns && { nouns: await textOf(nouns) }),
    });
  },
  async bringGames(name, files, report) {
    const found: GameFile[] = [];
    for (const [k, each] of files.entries()) {
      found.push(...(await gamesOf(each)));
      if (k % 50 === 49) report(k + 1);
    }
    return importGames(await openGames(), name, found, await checkOfOwn('games'));
  },
};

Comlink.expose(api);
