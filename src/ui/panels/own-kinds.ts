/** Kinds of files that a person brings for a world: databases for SQL, shops for Shop, games for Household. */
import { msg, str } from '@lit/localize';
import type { Remote } from 'comlink';
import type { KeptDatabase } from '../../corpus/databases/store.ts';
import { isGamePath } from '../../corpus/games/store.ts';
import type { KeptOf, OwnFilesApi, OwnKind, PathFile } from '../../corpus/own-files.ts';
import type { ShopFiles } from '../../corpus/shops/webshop-files.ts';
import { fileCount, gameCount, instructionCount, productCount, questionCount } from '../kit/counts.ts';
import { bytes, listed } from '../kit/format.ts';

/** Kept files of an import, and reasons for those left out. */
export interface Brought {
  kept: string;
  left: string;
  reasons: readonly string[];
}

type Bring = (
  worker: Remote<OwnFilesApi>,
  name: string,
  files: readonly PathFile[],
  report: (read: number) => void,
) => Promise<Brought>;

export interface OwnFilesKind {
  /** Name of its IndexedDB database. */
  stored: string;
  heading(): string;
  hint(): string;
  /** Label of the input for files. */
  files(): string;
  /** Label of the input for a whole folder. Absent: files alone. */
  folder?(): string;
  /** Heading of the column of names, and what stands beside a name. */
  column(): string;
  facts(kept: KeptOf[OwnKind]): string;
  /** Part of the whole that a file is; a later file replaces an earlier one of the same part. Null: not wanted. */
  part(path: string): string | null;
  /** Sentence on what is still missing, or an empty text. */
  missing(parts: ReadonlySet<string>): string;
  bring: Bring;
}

const byPart = ({ part }: OwnFilesKind, files: readonly PathFile[]) =>
  Object.fromEntries(files.map(({ path, file }) => [part(path), file]));

const databases: OwnFilesKind = {
  stored: 'tabgym-databases',
  heading: () => msg('A database for SQL'),
  hint: () =>
    msg(
      'Drop a SQLite file and a JSON file of questions with their statements (BIRD’s or Spider’s form) here, or choose both. They stay in this browser.',
    ),
  files: () => msg('Database and questions'),
  column: () => msg('Database'),
  facts: (kept) => listed([questionCount((kept as KeptDatabase).questions), bytes((kept as KeptDatabase).bytes)]),
  part: (path) => (/\.(json|jsonl)$/i.test(path) ? 'questions' : 'database'),
  missing: (parts) =>
    !parts.has('database')
      ? msg('Add the SQLite file.')
      : !parts.has('questions')
        ? msg('Add the file of questions.')
        : '',
  async bring(worker, name, files) {
    const { database, questions: source } = byPart(databases, files);
    const { questions, refused, failed, examples } = await worker.bringDatabase(name, database, source);
    const left = refused + failed;
    return { kept: questionCount(questions), left: left ? questionCount(left) : '', reasons: examples };
  },
};

/** Part of a shop, by WebShop's names for its files. */
function shopPart(path: string): keyof ShopFiles | null {
  const name = path.replace(/^.*\//, '').toLowerCase();
  if (!name.endsWith('.json')) return null;
  if (name.includes('human')) return 'human';
  if (name.includes('noun')) return 'nouns';
  return /(^|_)ins(_|\.)|attributes/.test(name) ? 'attributes' : 'products';
}

const shops: OwnFilesKind = {
  stored: 'tabgym-shops',
  heading: () => msg('A shop'),
  hint: () =>
    msg(
      'Drop WebShop’s files here, or choose them: items_shuffle.json (products), with items_human_ins.json or items_ins_v2.json (instructions) of the same products, and nouns.json where you have it. They stay in this browser.',
    ),
  files: () => msg('Products and instructions'),
  column: () => msg('Shop'),
  facts: (kept) => {
    const { products, instructions } = kept as KeptOf['shops'];
    return listed([productCount(products), instructionCount(instructions)]);
  },
  part: shopPart,
  missing: (parts) =>
    !parts.has('products')
      ? msg('Add the file of products.')
      : parts.has('human') || parts.has('attributes')
        ? ''
        : msg('Add a file of instructions.'),
  async bring(worker, name, files) {
    const parts = byPart(shops, files) as { [role in keyof ShopFiles]: File };
    const { products, refused, human, synthetic, examples } = await worker.bringShop(name, parts);
    const kept = listed([productCount(products), instructionCount(human + synthetic)]);
    return { kept, left: refused ? productCount(refused) : '', reasons: examples };
  },
};

const games: OwnFilesKind = {
  stored: 'tabgym-games',
  heading: () => msg('Games for Household'),
  hint: () =>
    msg(
      'Drop a folder or a zip of ALFWorld’s games (game.tw-pddl) here, or choose one. Games in a folder named “valid…” are held out; without one, every fifth is. They stay in this browser.',
    ),
  files: () => msg('Game files or zips'),
  folder: () => msg('Folder of games'),
  column: () => msg('Games'),
  facts: (kept) => gameCount((kept as KeptOf['games']).games),
  part: (path) => (isGamePath(path) || /\.zip$/i.test(path) ? path : null),
  missing: (parts) => (parts.size ? '' : msg('Add a game file, a folder of them or a zip.')),
  async bring(worker, name, files, report) {
    const { games: kept, refused, examples } = await worker.bringGames(name, files, report);
    return { kept: gameCount(kept), left: refused ? gameCount(refused) : '', reasons: examples };
  },
};

export const ownKinds: { readonly [kind in OwnKind]: OwnFilesKind } = { databases, shops, games };

/** Short description of the chosen files. */
export const pickedText = (files: readonly PathFile[]): string =>
  files.length > 3 ? fileCount(files.length) : files.map(({ path }) => path).join(', ');

/** Progress of an import that reads many files. */
export const readText = (read: number, files: number): string => msg(str`${read} of ${fileCount(files)} read`);
