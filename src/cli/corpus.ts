/**
 * `npm run corpus -- add NAME FILES...`: stores a corpus for the world Search, without a page. Also `list`, `find NAME
 * WORDS...`, `questions NAME FILE` and `delete NAME`. Ctrl-C stops `add`; the same command continues from there.
 * `add-database NAME FILE QUESTIONS`, `databases` and `delete-database NAME` keep databases for the world SQL, and
 * `add-shop NAME PRODUCTS`, `shops` and `delete-shop NAME` shops for the world Shop,
 * `add-games NAME PATHS...`, `games` and `delete-games NAME` games of ALFWorld for the world Household.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { FolderDatabases, readDatabase } from '../corpus/databases/folder.ts';
import { importDatabase } from '../corpus/databases/import.ts';
import { gamesInArchive } from '../corpus/games/archive.ts';
import { FolderGames } from '../corpus/games/folder.ts';
import { importGames } from '../corpus/games/import.ts';
import { type GameFile, isGamePath } from '../corpus/games/store.ts';
import { type IngestProgress, ingest } from '../corpus/ingest.ts';
import { textIn } from '../corpus/lines.ts';
import { readQuestions } from '../corpus/records.ts';
import { FolderShops } from '../corpus/shops/folder.ts';
import { checkShopFile, importShop } from '../corpus/shops/import.ts';
import { CorpusStore } from '../corpus/store.ts';
import { defaultFolder, FolderDisk, openSources } from '../corpus/store-folder.ts';
import { unzip } from '../store/zip.ts';
import { checkOfOwn } from '../worlds/registry.ts';

const readTextFile = async (path: string) => textIn(await readFile(path), basename(path));

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function printProgress({ bytesRead, bytes, documents, refused }: IngestProgress): void {
  const memory = megabytes(process.memoryUsage().rss);
  console.log(
    `${megabytes(bytesRead)} of ${megabytes(bytes)}, ${documents} documents, ${refused} refused, memory ${memory}`,
  );
}

/** Limits a function to one call per second. */
function throttled<T>(report: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    if (Date.now() - last < 1000) return;
    last = Date.now();
    report(value);
  };
}

async function add(store: CorpusStore, name: string, paths: string[]): Promise<void> {
  const cancel = new AbortController();
  process.once('SIGINT', () => cancel.abort());
  const corpus = await store.open(name, true);
  const started = performance.now();
  try {
    const files = await openSources(paths);
    const result = await ingest(corpus, { name, files, signal: cancel.signal, report: throttled(printProgress) });
    const seconds = (performance.now() - started) / 1000;
    console.log(`${result.documents} documents, ${result.refused} refused, ${seconds.toFixed(1)} s`);
    for (const example of result.examples) console.log(`  ${example}`);
  } catch (error) {
    if (!cancel.signal.aborted) throw error;
    console.log(`Stopped at ${corpus.state?.documents} documents. Run the same command to continue.`);
  }
}

async function list(store: CorpusStore): Promise<void> {
  for (const { name, documents, questions, bytes, complete, fault } of await store.list())
    console.log(
      fault
        ? `${name}: cannot be opened: ${fault}`
        : `${name}: ${documents} documents, ${questions} questions, ${megabytes(bytes)}${complete ? '' : ', incomplete'}`,
    );
}

async function find(store: CorpusStore, name: string, words: string[]): Promise<void> {
  const corpus = await store.open(name);
  const [documents] = await corpus.retrieve([words.join(' ')], 3);
  for (const { title, text, score } of documents)
    console.log(`${score.toFixed(3)}  ${title}\n       ${text.slice(0, 200)}`);
  if (documents.length === 0) console.log('No documents found.');
}

async function questions(store: CorpusStore, name: string, file: string): Promise<void> {
  const corpus = await store.open(name);
  const { questions: read, refused } = readQuestions(await readTextFile(file));
  corpus.addQuestions(read);
  console.log(`${read.length} questions added, ${refused.count} refused; ${corpus.questionCount} in all`);
  for (const example of refused.examples) console.log(`  ${example}`);
}

const program = new Command('corpus')
  .description('Stores corpora for the world Search, databases for the world SQL, and shops for the world Shop.')
  .option('--folder <folder>', 'folder of the corpora (TABGYM_CORPORA)', defaultFolder());

async function withStore(work: (store: CorpusStore) => Promise<void>): Promise<void> {
  const store = new CorpusStore(new FolderDisk(program.opts<{ folder: string }>().folder));
  try {
    await work(store);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await store.release();
  }
}

program
  .command('add <name> <files...>')
  .description('Adds JSON lines (plain or .gz) or a folder of texts, or continues a stopped addition.')
  .action((name: string, files: string[]) => withStore((store) => add(store, name, files)));
program
  .command('list')
  .description('Lists the stored corpora.')
  .action(() => withStore(list));
program
  .command('find <name> <words...>')
  .description('Prints the three best matching documents.')
  .action((name: string, words: string[]) => withStore((store) => find(store, name, words)));
program
  .command('questions <name> <file>')
  .description('Adds questions in the format of NQ, HotpotQA, Search-R1 or AgentGym.')
  .action((name: string, file: string) => withStore((store) => questions(store, name, file)));
program
  .command('delete <name>')
  .description('Deletes a corpus.')
  .action((name: string) => withStore((store) => store.remove(name)));

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

const databases = () => new FolderDatabases(`${program.opts<{ folder: string }>().folder}/databases`);

async function addDatabase(name: string, file: string, questionsFile: string): Promise<void> {
  const [bytes, source] = await Promise.all([readDatabase(file), readTextFile(questionsFile)]);
  const id = basename(file).replace(/\.\w+$/, '');
  const brought = { name, bytes, questions: source, id };
  const { questions: kept, refused, failed, examples } = await importDatabase(databases(), brought);
  console.log(`${kept} questions kept, ${refused} refused, ${failed} left out because their statement does not run`);
  for (const example of examples) console.log(`  ${example}`);
}

program
  .command('add-database <name> <file> <questions>')
  .description('Stores a SQLite database with questions in the form of BIRD or Spider, for the world SQL.')
  .action((name: string, file: string, from: string) => attempt(() => addDatabase(name, file, from)));
program
  .command('databases')
  .description('Lists the stored databases.')
  .action(() =>
    attempt(async () => {
      for (const { name, bytes, questions: count } of await databases().list())
        console.log(`${name}: ${count} questions, ${megabytes(bytes)}`);
    }),
  );
program
  .command('delete-database <name>')
  .description('Deletes a database and its questions.')
  .action((name: string) => attempt(() => databases().remove(name)));
const shops = () => new FolderShops(`${program.opts<{ folder: string }>().folder}/shops`);

async function shopFile(path: string): Promise<string> {
  checkShopFile(path, (await stat(path)).size);
  return readTextFile(path);
}

interface ShopPaths {
  attributes?: string;
  instructions?: string;
  nouns?: string;
}

async function addShop(name: string, products: string, given: ShopPaths): Promise<void> {
  const counts = await importShop(shops(), name, {
    products: await shopFile(products),
    ...(given.attributes && { attributes: await shopFile(given.attributes) }),
    ...(given.instructions && { human: await shopFile(given.instructions) }),
    ...(given.nouns && { nouns: await shopFile(given.nouns) }),
  });
  console.log(
    `${counts.products} products kept, ${counts.refused} refused; ${counts.human} instructions by people, ${counts.synthetic} made of attributes`,
  );
  for (const example of counts.examples) console.log(`  ${example}`);
}

program
  .command('add-shop <name> <products>')
  .description("Stores a shop in the form of WebShop's items_shuffle.json, for the world Shop.")
  .option('--attributes <file>', 'attributes and synthetic instructions, as items_ins_v2.json')
  .option('--instructions <file>', 'instructions by people, as items_human_ins.json')
  .option('--nouns <file>', 'nouns of the names of products: {"name": ["noun", ...]}')
  .action((name: string, products: string, given: ShopPaths) => attempt(() => addShop(name, products, given)));
program
  .command('shops')
  .description('Lists the stored shops.')
  .action(() =>
    attempt(async () => {
      for (const { name, products, instructions } of await shops().list())
        console.log(`${name}: ${products} products, ${instructions} instructions`);
    }),
  );
program
  .command('delete-shop <name>')
  .description('Deletes a shop and its instructions.')
  .action((name: string) => attempt(() => shops().remove(name)));

const games = () => new FolderGames(`${program.opts<{ folder: string }>().folder}/games`);

/** Game files of a folder with its subfolders, of a zip archive, or a single one. */
async function gameFiles(path: string): Promise<GameFile[]> {
  if ((await stat(path)).isDirectory()) {
    const names = (await readdir(path, { recursive: true })).filter(isGamePath).sort();
    return Promise.all(names.map(async (name) => ({ path: name, text: await readTextFile(join(path, name)) })));
  }
  if (path.endsWith('.zip')) return gamesInArchive(new Uint8Array(await readFile(path)), unzip);
  return [{ path: basename(path), text: await readTextFile(path) }];
}

async function addGames(name: string, paths: string[]): Promise<void> {
  const found = (await Promise.all(paths.map(gameFiles))).flat();
  const { games: kept, refused, examples } = await importGames(games(), name, found, await checkOfOwn('games'));
  console.log(`${kept} games kept, ${refused} refused`);
  for (const example of examples) console.log(`  ${example}`);
}

program
  .command('add-games <name> <paths...>')
  .description('Stores game files of ALFWorld (game.tw-pddl), folders or zips of them, for the world Household.')
  .action((name: string, paths: string[]) => attempt(() => addGames(name, paths)));
program
  .command('games')
  .description('Lists the stored games.')
  .action(() =>
    attempt(async () => {
      for (const { name, games: count } of await games().list()) console.log(`${name}: ${count} games`);
    }),
  );
program
  .command('delete-games <name>')
  .description('Deletes games.')
  .action((name: string) => attempt(() => games().remove(name)));
await program.parseAsync();
