/** Kept corpora of which one is damaged: it is named and can be deleted, and the others are searched as before. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CorpusService } from '../../../src/corpus/service.ts';
import { CorpusStore } from '../../../src/corpus/store.ts';
import { FolderDisk } from '../../../src/corpus/store-folder.ts';

const page = 4096;
/** A name that is no file name: the file is named after it and its hash. */
const name = 'bad one';
const file = /^bad-one-[0-9a-f]+$/;
let folder: string;
let path: string;

const lines = (count: number) =>
  Array.from({ length: count }, (_, k) => JSON.stringify({ id: `${k}`, contents: `"T${k}"\nThings about ${k}` }));

const opened = () => new CorpusService(new CorpusStore(new FolderDisk(folder)));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-corpora-'));
  const store = new CorpusStore(new FolderDisk(folder));
  for (const each of ['good', name])
    await new CorpusService(store).ingest(each, [{ file: new Blob([lines(200).join('\n')]), path: 'a.jsonl' }]);
  await store.release();
  const files = await new FolderDisk(folder).files();
  path = join(folder, files.find((each) => each !== 'good.sqlite')!);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function stateOf(json: string): Promise<void> {
  const database = await new FolderDisk(folder).open(path.slice(folder.length + 1));
  const change = database.prepare('UPDATE state SET json = ?');
  change.run([json]);
  change.finalize();
  database.close();
}

const ways: [string, () => unknown][] = [
  ['other bytes', () => writeFileSync(path, 'x'.repeat(10_000))],
  ['half of it', () => truncateSync(path, Math.floor(statSync(path).size / 2))],
  [
    'zeros after its first page',
    () => writeFileSync(path, readFileSync(path).fill(0, page, statSync(path).size - page)),
  ],
  [
    'a folder in its place',
    () => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  ...['5', '[]', '{', '{"name":5,"documents":"x"}'].map((json): [string, () => unknown] => [
    `the state ${json}`,
    () => stateOf(json),
  ]),
];

it.each(ways)('%s', async (_, damage) => {
  await damage();
  const service = opened();
  const [good, bad] = await service.list();
  expect([good.name, good.fault, bad.fault]).toEqual(['good', undefined, expect.any(String)]);
  expect(bad.name).toMatch(file);
  expect(await service.retrieve('good', ['things'], 1)).toHaveLength(1);
  await service.remove(bad.name);
  expect((await service.list()).map((each) => each.name)).toEqual(['good']);
});

it('an episode in it ends with its name', async () => {
  ways[2][1]();
  await expect(opened().retrieve(name, ['things'], 1)).rejects.toThrow(
    'The corpus "bad one" cannot be read: database disk image is malformed.',
  );
  ways[0][1]();
  await expect(opened().retrieve(name, ['things'], 1)).rejects.toThrow(
    'The corpus "bad one" cannot be opened: file is not a database. Delete it and add its files again.',
  );
});
