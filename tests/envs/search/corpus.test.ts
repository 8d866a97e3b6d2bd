import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IngestProgress, ingest } from '../../../src/corpus/ingest.ts';
import { type ByteSource, type Line, longestLine, readLines } from '../../../src/corpus/lines.ts';
import { type BrowserInterfaces, SharedCorpora } from '../../../src/corpus/owner.ts';
import { readQuestions } from '../../../src/corpus/records.ts';
import { openInMemory } from '../../../src/corpus/retrieval/sqlite.ts';
import { type CorpusCalls, CorpusService } from '../../../src/corpus/service.ts';
import { CorpusStore, fileOf } from '../../../src/corpus/store.ts';
import { FolderDisk } from '../../../src/corpus/store-folder.ts';
import { CorpusSource } from '../../../src/worlds/search/corpus-source.ts';
import { mentionsIn } from '../../../src/worlds/search/mentions.ts';
import { Search } from '../../../src/worlds/search/world.ts';

const encode = (text: string) => new TextEncoder().encode(text);

/** A source of bytes in chunks that do not align with lines. */
function sourceOf(name: string, bytes: Uint8Array, chunk = 7): ByteSource {
  return {
    name,
    size: bytes.length,
    stream: (start) =>
      new ReadableStream({
        start(controller) {
          for (let at = start; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk));
          controller.close();
        },
      }),
  };
}

async function collect(lines: AsyncGenerator<Line>): Promise<Line[]> {
  const all: Line[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('lines', () => {
  const text = 'first\r\nsecond \u{1f389}\n\nlast';
  it.each([
    ['plain', 'a.jsonl', encode(text)],
    ['gzipped', 'a.jsonl.gz', gzipSync(encode(text))],
    [
      'of two gzip members',
      'a.jsonl.gz',
      joined(gzipSync(encode(text.slice(0, 10))), gzipSync(encode(text.slice(10)))),
    ],
  ])('%s are the same, however they end', async (_, name, bytes) => {
    const source = sourceOf(name, bytes);
    const lines = await collect(readLines(source, 0));
    expect(lines.map((line) => line.text)).toEqual(['first', 'second \u{1f389}', '', 'last']);
    for (const [k, { end }] of lines.entries())
      expect((await collect(readLines(source, end))).map((line) => line.text)).toEqual(
        lines.slice(k + 1).map((line) => line.text),
      );
  });
  it('end with the name of a file that can no longer be read', async () => {
    const gone = () =>
      new ReadableStream({
        start: (controller) => controller.error(new DOMException('It could not be found.', 'NotFoundError')),
      });
    await expect(collect(readLines({ name: 'texts/a.jsonl', size: 9, stream: gone }, 0))).rejects.toThrow(
      'texts/a.jsonl cannot be read: It could not be found.',
    );
  });
  it('end with an error if a gzip file ends too early', async () => {
    const whole = gzipSync(encode(text.repeat(100)));
    await expect(collect(readLines(sourceOf('a.gz', whole.slice(0, -20)), 0))).rejects.toThrow(
      /a\.gz cannot be unpacked to its end/,
    );
    await expect(collect(readLines(sourceOf('a.gz', encode('no gzip')), 0))).rejects.toThrow(
      /a\.gz cannot be unpacked to its end/,
    );
  });
  it('that are too long are empty, and the next is read', async () => {
    const long = new Uint8Array(longestLine + 3).fill(97);
    const lines = await collect(readLines(sourceOf('a', joined(long, encode('\nnext')), 1 << 20), 0));
    expect(lines.map((line) => line.text)).toEqual(['', 'next']);
  });
});

function joined(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const contents = (k: number) =>
  `"Title ${k}"\nThis is the text of document number ${k}, with some words${' more'.repeat(40)}.`;
const jsonl = (count: number) =>
  Array.from({ length: count }, (_, k) => JSON.stringify({ id: `d${k}`, contents: contents(k) })).join('\n');
const folder = mkdtempSync(join(tmpdir(), 'tabgym-corpora-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a corpus', () => {
  let store: CorpusStore;
  beforeEach(async () => {
    await store?.release();
    store = new CorpusStore(new FolderDisk(folder));
  });

  it.each([
    ['plain', 'big.jsonl', encode(jsonl(12_000))],
    ['gzipped', 'big.jsonl.gz', gzipSync(encode(jsonl(12_000)), { level: 1 })],
  ])('%s is cancelled, resumed after a restart, searched and deleted', async (kind, name, bytes) => {
    const files = [sourceOf(name, bytes, 65_536)];
    const cancel = new AbortController();
    const seen: IngestProgress[] = [];
    const report = (progress: IngestProgress) => {
      seen.push(progress);
      if (seen.length === 1) cancel.abort();
    };
    const first = await store.open(kind, true);
    await expect(ingest(first, { name: kind, files, signal: cancel.signal, report })).rejects.toThrow(/abort/i);
    await store.release();

    store = new CorpusStore(new FolderDisk(folder));
    const [listed] = await store.list();
    expect(listed).toMatchObject({ name: kind, complete: false, documents: seen[0].documents });
    const corpus = await store.open(kind);
    const again: IngestProgress[] = [];
    const result = await ingest(corpus, { name: kind, files, report: (progress) => again.push(progress) });
    expect(again[0].documents).toBeGreaterThan(seen[0].documents);
    expect(result).toEqual({ documents: 12_000, refused: 0, examples: [] });
    expect(again.at(-1)!.bytesRead).toBe(bytes.length);
    for (const number of [0, 6_000, 11_999]) {
      const [[found]] = await corpus.retrieve([`Title ${number}`], 1);
      expect(found).toMatchObject({ id: `d${number}`, title: `"Title ${number}"` });
      expect(`${found.title}\n${found.text}`).toBe(contents(number));
    }
    expect(await store.list()).toMatchObject([{ name: kind, complete: true, documents: 12_000, questions: 0 }]);
    await store.remove(kind);
    expect(await store.list()).toEqual([]);
    await expect(store.open(kind)).rejects.toThrow(/There is no corpus named/);
  });

  it('reacts to a cancel message even while all of its file is available', async () => {
    const cancel = new AbortController();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => cancel.abort();
    const seen: IngestProgress[] = [];
    const report = (progress: IngestProgress) => {
      if (seen.push(progress) === 1) port2.postMessage(null);
    };
    const corpus = await store.open('told', true);
    const files = [sourceOf('told.jsonl', encode(jsonl(24_000)), 1_000_000)];
    await expect(ingest(corpus, { name: 'told', files, signal: cancel.signal, report })).rejects.toThrow(/abort/i);
    port1.close();
    expect(seen.at(-1)!.documents).toBeLessThan(20_000);
    await store.remove('told');
  });

  it('is refused for other files than it was begun from', async () => {
    const corpus = await store.open('other', true);
    await ingest(corpus, { name: 'other', files: [sourceOf('a.jsonl', encode(jsonl(2)))] });
    const files = [sourceOf('b.jsonl', encode(jsonl(2)))];
    await expect(ingest(corpus, { name: 'other', files })).rejects.toThrow(/was started from other files \(a\.jsonl\)/);
    await store.remove('other');
    const texts = Array.from({ length: 50 }, (_, k) => sourceOf(`${k}.txt`, encode('x')));
    const folder = await store.open('folder', true);
    await ingest(folder, { name: 'folder', files: texts });
    await expect(ingest(folder, { name: 'folder', files })).rejects.toThrow(
      '(0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 45 more)',
    );
    await store.remove('folder');
  });

  it('skips only the lines that are not documents, and reports them', async () => {
    const corpus = await store.open('odd', true);
    const lines = ['{"id":1,"title":"Café","text":"au lait"}', '{broken', '[1]', '{"x":1}', '', '{"text":"no title"}'];
    const result = await ingest(corpus, { name: 'odd', files: [sourceOf('odd.jsonl', encode(lines.join('\n')))] });
    expect(result).toMatchObject({ documents: 2, refused: 3 });
    expect(result.examples[0]).toMatch(/odd\.jsonl, record 2: it is not JSON/);
    expect((await corpus.retrieve(['cafe'], 3))[0]).toMatchObject([{ id: '1', title: 'Café', text: 'au lait' }]);
    await store.remove('odd');
  });

  // Windows' tools write GBK and UTF-16 (github.com/jingyaogong/minimind/issues/551).
  it('refuses lines and texts that are not UTF-8, and reads UTF-16 with its mark', async () => {
    const corpus = await store.open('encodings', true);
    const gbk = new Uint8Array([
      ...encode('{"id":"a","text":"'),
      0xd6,
      0xd0,
      0xce,
      0xc4,
      ...encode('"}\n{"text":"good"}'),
    ]);
    const utf16 = new Uint8Array(Buffer.from('\uFEFFThe capital of Spain.', 'utf16le'));
    const files = [
      sourceOf('gbk.jsonl', gbk),
      sourceOf('latin1.txt', new Uint8Array([0x43, 0x61, 0x66, 0xe9])),
      sourceOf('Madrid.txt', utf16),
      sourceOf('utf16.jsonl', new Uint8Array(Buffer.from('\uFEFF{"text":"x"}', 'utf16le'))),
    ];
    const { documents, refused, examples } = await ingest(corpus, { name: 'encodings', files });
    expect({ documents, refused }).toEqual({ documents: 2, refused: 3 });
    for (const example of examples) expect(example).toMatch(/^(gbk|latin1|utf16)\..*: it is not UTF-8/);
    expect((await corpus.retrieve(['capital'], 1))[0]).toMatchObject([{ text: 'The capital of Spain.' }]);
    await store.remove('encodings');
  });

  // HippoRAG's corpora are lists (github.com/OSU-NLP-Group/HippoRAG, reproduce/dataset).
  it('may be a list in a JSON file', async () => {
    const corpus = await store.open('list', true);
    const list = JSON.stringify([{ title: 'Paris', text: 'The capital of France.' }, { title: 1 }, 'x'], null, 2);
    const result = await ingest(corpus, { name: 'list', files: [sourceOf('corpus.json', encode(`\n${list}`))] });
    expect(result).toMatchObject({ documents: 2, refused: 1 });
    expect(result.examples).toEqual(['corpus.json, record 3: it is not a JSON object']);
    const broken = [sourceOf('broken.json', encode('[{"title":"x"}'))];
    const second = await store.open('broken', true);
    await expect(ingest(second, { name: 'broken', files: broken })).rejects.toThrow(/^broken\.json is not JSON:/);
    await store.remove('list');
    await store.remove('broken');
  });

  // The whole of HotpotQA's Wikipedia (hotpotqa.github.io/wiki-readme.html); a document without its text was kept.
  it('has documents whose text is a list of paragraphs, and refuses other values', async () => {
    const corpus = await store.open('nested', true);
    const lines = [
      { id: '12', title: 'Anarchism', text: [['Anarchism'], ['It is a philosophy.', ' It advocates.']] },
      { id: '13', title: 'Rome', text: { first: 'x' } },
      { id: '14', contents: { title: 'x' } },
    ];
    const files = [sourceOf('wiki.jsonl', encode(lines.map((line) => JSON.stringify(line)).join('\n')))];
    const { documents, examples } = await ingest(corpus, { name: 'nested', files });
    expect(documents).toBe(1);
    expect(examples).toEqual([
      'wiki.jsonl, record 2: its "text" is neither a text nor a list of texts',
      'wiki.jsonl, record 3: its "contents" is neither a text nor a list of texts',
    ]);
    expect((await corpus.retrieve(['philosophy'], 1))[0]).toMatchObject([
      { id: '12', text: 'Anarchism It is a philosophy.  It advocates.' },
    ]);
    await store.remove('nested');
  });

  it('may be a folder of texts', async () => {
    const corpus = await store.open('texts', true);
    const files = [
      sourceOf('notes/Paris.txt', encode('The capital of France.')),
      sourceOf('notes/picture.png', encode('PNG\0\0')),
      sourceOf('notes/Rome.md.gz', gzipSync(encode('# The capital of Italy.'))),
      sourceOf('notes/psgs_w100.TSV', encode('id\ttext\ttitle\n1\tThe capital of Italy.\tRome')),
    ];
    expect(await ingest(corpus, { name: 'texts', files })).toMatchObject({
      documents: 2,
      refused: 2,
      examples: [expect.anything(), expect.stringContaining('it is a table')],
    });
    expect((await corpus.retrieve(['capital of italy'], 1))[0]).toMatchObject([
      { id: 'notes/Rome.md.gz', title: 'Rome' },
    ]);
    await store.remove('texts');
  });

  it('of a killed process is resumed', async () => {
    await store.open('killed', true);
    await store.release();
    mkdirSync(join(folder, 'killed.sqlite.lock'));
    writeFileSync(join(folder, 'killed.sqlite.owner'), '999999999');
    expect((await store.open('killed')).questionCount).toBe(0);
    await store.release();
    mkdirSync(join(folder, 'killed.sqlite.lock'));
    writeFileSync(join(folder, 'killed.sqlite.owner'), String(process.ppid));
    await expect(store.open('killed')).rejects.toThrow(/open in another process/);
    await store.remove('killed');
  });

  it('is played: its questions are tasks, its names may be searched for', async () => {
    const corpus = await store.open('played', true);
    await ingest(corpus, { name: 'played', files: [sourceOf('played.jsonl', encode(jsonl(50)))] });
    corpus.addQuestions(
      Array.from({ length: 6 }, (_, k) => ({
        text: `What is "Title ${k}"?`,
        golds: [`number ${k}`],
        hops: 1,
        evidence: [`Title ${k}`],
      })),
    );
    const source = new CorpusSource(new CorpusService(store), 'played');
    const world = new Search(async () => source);
    const [start] = await world.reset(
      [0],
      [{ world: 'search', id: 3, options: { corpus: 'played', documents: 1 }, strata: {} }],
    );
    expect(start.validActions).toContain('search Title 3');
    const [found] = await world.step([0], ['search Title 3']);
    expect(found.observation).toMatch(/^1\. "Title 3": This is the text of document number 3,/);
    expect(await world.view(0)).toMatchObject({ chain: [{ title: 'Title 3', found: true }] });
    expect((await world.step([0], ['answer the number 3']))[0]).toMatchObject({ reward: 1, done: true });
    await world.close();
    await store.remove('played');
  });

  it('has separate files for names that look alike', () => {
    expect(fileOf('wiki')).toBe('wiki.sqlite');
    expect(fileOf('a b')).not.toBe(fileOf('a-b'));
    expect(fileOf('維基')).toMatch(/^[A-Za-z0-9._-]+\.sqlite$/);
  });
});

describe('questions', () => {
  it.each([
    ['NQ', '{"question":"who","answer":["Ann","A."]}', { text: 'who', golds: ['Ann', 'A.'], evidence: [], hops: null }],
    [
      'HotpotQA',
      '[{"_id":"1","question":"who","answer":"Ann","supporting_facts":[["Ann",0],["Bob",1],["Ann",2]]}]',
      { text: 'who', golds: ['Ann'], evidence: ['Ann', 'Bob'], hops: 2 },
    ],
    [
      'Search-R1',
      '{"id":"t0","question":"who?","golden_answers":["Ann"],"data_source":"nq"}',
      { text: 'who?', golds: ['Ann'], evidence: [], hops: null },
    ],
    [
      'AgentGym',
      '{"question":"who","reward_model":{"style":"rule","ground_truth":{"target":["Ann"]}}}',
      { text: 'who', golds: ['Ann'], evidence: [], hops: null },
    ],
    [
      'MuSiQue',
      '{"question":"who","answer":"Ann","answer_aliases":["A. Bee","Ann"]}',
      { text: 'who', golds: ['Ann', 'A. Bee'] },
    ],
    [
      'TriviaQA',
      '{"question":"who","answer":{"value":"Ann","aliases":["A. Bee","Ann"],"type":"WikipediaEntity"}}',
      { golds: ['Ann', 'A. Bee'] },
    ],
    [
      'SQuAD in Hugging Face’s form',
      '{"question":"who","answers":{"text":["Ann"],"answer_start":[3]}}',
      { golds: ['Ann'] },
    ],
    ['SQuAD', '{"question":"who","answers":[{"text":"Ann","answer_start":3}]}', { golds: ['Ann'] }],
    ['a table with numbers', '{"question":"when","answer":1912}', { golds: ['1912'] }],
    ['Windows', '\uFEFF[{"question":"who","answers":null,"answer":"Ann"}]', { golds: ['Ann'] }],
  ])('are read in the form of %s', (_, text, question) => {
    expect(readQuestions(text)).toMatchObject({ questions: [question], refused: { count: 0 } });
  });
  it.each(['true', '""', '[]', '[null]', '{"text":[]}', '[{}]'])('refuse the answer %s', (answer) => {
    const { questions, refused } = readQuestions(`[{"question":"is it?","answer":${answer}}, null]`);
    expect(questions).toEqual([]);
    expect(refused.examples).toEqual([
      expect.stringMatching(/^record 1: (it has no|its) answer/),
      'record 2: it is not a JSON object',
    ]);
  });
  it('of a list that ends early are refused with a sentence', () => {
    expect(() => readQuestions('[{"question":"who"')).toThrow(/^The file of questions is not JSON/);
  });
  it('skip only malformed lines', () => {
    const { questions, refused } = readQuestions('{"question":"a","answer":"b"}\n{"question":"a"}\nx\n');
    expect(questions).toHaveLength(1);
    expect(refused.examples).toEqual([
      expect.stringMatching(/^line 2: it has no answer/),
      expect.stringMatching(/^line 3:/),
    ]);
  });
});

it('names are found in any text', () => {
  const text = 'The "Night Watch" was painted by Rembrandt van Rijn in 1642. In Amsterdam, it hangs. Is it?';
  expect(mentionsIn(text).map((mention) => mention.text)).toEqual([
    'Night Watch',
    'Rembrandt van Rijn',
    '1642',
    'Amsterdam',
  ]);
});

describe('one worker owns the index', () => {
  /** One lock, granted in the order of requests; one channel, on which every message reaches all others. */
  function surroundings() {
    let queue: Promise<unknown> = Promise.resolve();
    const request = (_: string, { signal }: LockOptions, work: () => Promise<unknown>) => {
      const turn = queue.then(() => (signal?.aborted ? Promise.reject(signal.reason) : work()));
      queue = turn.catch(() => {});
      return turn;
    };
    const open = async (): Promise<CorpusCalls> => {
      opened++;
      const databases = new Map<string, ReturnType<typeof openInMemory>>();
      return new CorpusService(
        new CorpusStore({
          files: async () => [...databases.keys()],
          open: (file) => databases.set(file, openInMemory()).get(file)!,
          remove: async (file) => void databases.delete(file),
        }),
      );
    };
    const locks = { request } as unknown as Pick<LockManager, 'request'>;
    let opened = 0;
    const channels = new Set<BrowserInterfaces['channel']>();
    const join = () => {
      const channel: BrowserInterfaces['channel'] = {
        onmessage: null,
        postMessage(message) {
          const data = structuredClone(message);
          for (const other of channels)
            if (other !== channel) queueMicrotask(() => other.onmessage?.({ data } as MessageEvent));
        },
        close: () => void channels.delete(channel),
      };
      channels.add(channel);
      return new SharedCorpora({ locks, channel, openService: open });
    };
    const say = (data: unknown) => {
      for (const { onmessage } of channels) onmessage?.({ data } as MessageEvent);
    };
    return { join, say, opened: () => opened };
  }
  const files = [{ path: 'a.jsonl', file: new Blob([jsonl(3000)]) }];

  it('and runs the calls of the others, with their progress', async () => {
    const { join, opened } = surroundings();
    const [one, two] = [join(), join()];
    const seen: IngestProgress[] = [];
    expect(await two.ingest('a', files, (progress) => seen.push(progress))).toMatchObject({ documents: 3000 });
    expect(seen.length).toBeGreaterThan(0);
    expect(await one.list()).toMatchObject([{ name: 'a', documents: 3000 }]);
    expect((await two.retrieve('a', ['Title 7'], 1))[0]).toMatchObject([{ id: 'd7' }]);
    await expect(two.question('a', 0)).rejects.toThrow(/has no question 0/);
    await two.addQuestions('a', [{ text: 'q', golds: 'a', hops: null, evidence: [] }]);
    expect(await one.questionCount('a')).toBe(1);
    expect(opened()).toBe(1);
    one.close();
    two.close();
  });
  const isAnswerTo = (data: unknown, worker: string) => {
    const { kind, to } = (data ?? {}) as { [name: string]: unknown };
    return kind === 'answer' && to === worker;
  };
  it('and ignores messages of other shapes and names', async () => {
    const { join, say } = surroundings();
    const [one, two] = [join(), join()];
    const asked = new Set<unknown>();
    const listener = join() as unknown as { browser: BrowserInterfaces };
    listener.browser.channel.onmessage = ({ data }) => void asked.add(data);
    const [call, mine] = [
      { kind: 'call', from: 'x', id: 0, name: 'list', args: [] },
      { from: 'x', id: 0 },
    ];
    const wrong = [
      ...[undefined, null, 5, 'owner', [], {}, { kind: {} }, { kind: 'call' }, { kind: 'call', ...mine }],
      ...[
        { ...call, name: 'constructor' },
        { ...call, name: '__proto__' },
        { ...call, name: 'store' },
      ],
      ...[
        { ...call, args: 5 },
        { ...call, args: Array(1000).fill(0) },
        { ...call, id: {} },
        { ...call, from: null },
      ],
      ...[
        { kind: 'cancel' },
        { kind: 'progress', to: 'x', id: 0, progress: null },
        { kind: 'answer', to: 'y', id: NaN },
      ],
    ];
    for (const message of wrong) say(message);
    expect(await two.list()).toEqual([]);
    const answers = () => [...asked].filter((each) => isAnswerTo(each, 'x'));
    expect(answers()).toEqual([]);
    say(call);
    await vi.waitFor(() => expect(answers()).toEqual([{ kind: 'answer', to: 'x', id: 0, value: [] }]));
    one.close();
    two.close();
  });
  it('until it closes: the next one runs the open calls', async () => {
    const { join, opened } = surroundings();
    const [one, two] = [join(), join()];
    await one.list();
    one.close();
    expect(await two.list()).toEqual([]);
    expect(opened()).toBe(2);
    two.close();
  });
  it('and stops a call that another cancels', async () => {
    const { join } = surroundings();
    const [one, two] = [join(), join()];
    const cancel = new AbortController();
    const long = [{ path: 'a.jsonl', file: new Blob([jsonl(20_000)]) }];
    const report = () => cancel.abort();
    await expect(two.ingest('a', long, report, cancel.signal)).rejects.toThrow(/abort/i);
    expect(await two.list()).toMatchObject([{ complete: false }]);
    one.close();
    two.close();
  });
});
