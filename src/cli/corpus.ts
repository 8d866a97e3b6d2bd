/**
 * `npm run corpus -- add NAME FILES...`: keeps a corpus for the world Search, without a page. Also `list`, `find NAME WORDS...`,
 * `questions NAME FILE` and `delete NAME`. Ctrl-C stops taking in; the same command goes on from there.
 */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { type IngestProgress, ingest } from '../corpus/ingest.ts';
import { readQuestions } from '../corpus/records.ts';
import { CorpusStore } from '../corpus/store.ts';
import { defaultFolder, FolderDisk, openSources } from '../corpus/store-folder.ts';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function printProgress({ bytesRead, bytes, documents, refused }: IngestProgress): void {
  const memory = megabytes(process.memoryUsage().rss);
  console.log(
    `${megabytes(bytesRead)} of ${megabytes(bytes)}, ${documents} documents, ${refused} refused, memory ${memory}`,
  );
}

/** At most one call a second. */
function seldom<T>(report: (value: T) => void): (value: T) => void {
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
    const result = await ingest(corpus, { name, files, signal: cancel.signal, report: seldom(printProgress) });
    const seconds = (performance.now() - started) / 1000;
    console.log(`${result.documents} documents, ${result.refused} refused, ${seconds.toFixed(1)} s`);
    for (const example of result.examples) console.log(`  ${example}`);
  } catch (error) {
    if (!cancel.signal.aborted) throw error;
    console.log(`Stopped at ${corpus.state?.documents} documents. The same command goes on from here.`);
  }
}

async function list(store: CorpusStore): Promise<void> {
  for (const { name, documents, questions, bytes, complete } of await store.list())
    console.log(
      `${name}: ${documents} documents, ${questions} questions, ${megabytes(bytes)}${complete ? '' : ', not complete'}`,
    );
}

async function find(store: CorpusStore, name: string, words: string[]): Promise<void> {
  const corpus = await store.open(name);
  const [documents] = await corpus.retrieve([words.join(' ')], 3);
  for (const { title, text, score } of documents)
    console.log(`${score.toFixed(3)}  ${title}\n       ${text.slice(0, 200)}`);
  if (documents.length === 0) console.log('Nothing was found.');
}

async function questions(store: CorpusStore, name: string, file: string): Promise<void> {
  const corpus = await store.open(name);
  const { questions: read, refused } = readQuestions(await readFile(file, 'utf8'));
  corpus.addQuestions(read);
  console.log(`${read.length} questions added, ${refused.count} refused; ${corpus.questionCount} in all`);
  for (const example of refused.examples) console.log(`  ${example}`);
}

const program = new Command('corpus')
  .description('Keeps corpora for the world Search.')
  .option('--folder <folder>', 'where they are kept (TABGYM_CORPORA)', defaultFolder());

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
  .description('Takes in JSON lines (plain or .gz) or a folder of texts, or goes on with it.')
  .action((name: string, files: string[]) => withStore((store) => add(store, name, files)));
program
  .command('list')
  .description('What is kept.')
  .action(() => withStore(list));
program
  .command('find <name> <words...>')
  .description('The three best documents.')
  .action((name: string, words: string[]) => withStore((store) => find(store, name, words)));
program
  .command('questions <name> <file>')
  .description("Adds questions: NQ's, HotpotQA's, Search-R1's or AgentGym's form.")
  .action((name: string, file: string) => withStore((store) => questions(store, name, file)));
program
  .command('delete <name>')
  .description('Deletes one.')
  .action((name: string) => withStore((store) => store.remove(name)));
await program.parseAsync();
