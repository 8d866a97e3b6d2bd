/** Picked and dropped files: their names, and which are models, runs, trajectories or unusable. */
import { describe, expect, test } from 'vitest';
import type { TrainerApi } from '../../src/session/protocol.ts';
import type { Events } from '../../src/ui/control/events.ts';
import { FileDrop, sortFiles } from '../../src/ui/control/file-drop.ts';
import { Library } from '../../src/ui/control/library.ts';
import { Notifier } from '../../src/ui/control/notifier.ts';
import { mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { filesWithin } from '../../src/ui/state/dropped-tree.ts';
import { inputFiles, type PickedFiles, shownName } from '../../src/ui/state/picked-files.ts';
import { Store } from '../../src/ui/state/state.ts';

describe('picked files', () => {
  const picked = (...paths: string[]) =>
    inputFiles(paths.map((path) => Object.assign(new File([], path.split('/').at(-1)!), { webkitRelativePath: path })));

  test("a folder gives its own files and those of the sub-folders of the Hub's layout", () => {
    const { label, files } = picked(
      'qwen/config.json',
      'qwen/onnx/model.onnx',
      'qwen/.git/config',
      'qwen/onnx/a/b.onnx',
      'qwen/additional_chat_templates/default.jinja',
      'qwen/checkpoint-1/config.json',
    );
    expect([label, files.map(({ name }) => name)]).toEqual([
      'qwen',
      ['config.json', 'onnx/model.onnx', 'additional_chat_templates/default.jinja'],
    ]);
  });

  test('a single file keeps its name', () => {
    const { label, files } = inputFiles([Object.assign(new File([], 'a.gguf'), { webkitRelativePath: '' })]);
    expect([label, files.map(({ name }) => name)]).toEqual(['a.gguf', ['a.gguf']]);
  });
});

describe('dropped folders', () => {
  type Tree = { [name: string]: Tree | File | 'gone' };
  /** Entry of a drop. A folder is read in parts, as browsers do. */
  function entryOf(name: string, tree: Tree[string], parent = ''): FileSystemEntry {
    const fullPath = `${parent}/${name}`;
    if (tree === 'gone' || tree instanceof File) {
      const file = (taken: (file: File) => void, refuse: (error: Error) => void) =>
        tree === 'gone' ? refuse(new Error('It could not be found.')) : taken(tree);
      return { isFile: true, name, fullPath, file } as unknown as FileSystemEntry;
    }
    const names = Object.keys(tree);
    const createReader = () => ({
      readEntries: (taken: (part: FileSystemEntry[]) => void) =>
        taken(names.splice(0, 100).map((each) => entryOf(each, tree[each], fullPath))),
    });
    return { isFile: false, isDirectory: true, name, fullPath, createReader } as unknown as FileSystemEntry;
  }
  const file = new File([], 'a.txt');

  test('are read in order, at any depth', async () => {
    const tree: Tree = { a: { z: file, b: { c: file } }, d: file };
    const paths = (await filesWithin([entryOf('top', tree), entryOf('e', file)])).map(({ path }) => path);
    expect(paths).toEqual(['top/a/z', 'top/a/b/c', 'top/d', 'e']);
    let deep: Tree = { end: file };
    for (let k = 0; k < 1000; k++) deep = { n: deep };
    expect((await filesWithin([entryOf('top', deep)]))[0].path).toHaveLength('top'.length + 2 * 1000 + '/end'.length);
  });

  test('of 200,000 files are read', { timeout: 60_000 }, async () => {
    const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, k) => [`${k}.txt`, file]));
    expect(await filesWithin([entryOf('top', { many })])).toHaveLength(200_000);
  });

  test('name a file that is gone', async () => {
    await expect(filesWithin([entryOf('top', { a: file, b: 'gone' })])).rejects.toThrow('“b”: It could not be found.');
  });
});

describe('dropped files', () => {
  const sorted = (label: string, ...names: string[]) =>
    sortFiles({ label, files: names.map((name) => ({ name, file: new File([], name) })) });

  test.each([
    ['a GGUF file', ['small.gguf']],
    ['one file of weights', ['model.safetensors']],
    ['a folder with a model in ONNX', ['config.json', 'tokenizer.json', 'onnx/model.onnx', 'onnx/model.onnx_data']],
    ['a folder of a model', ['config.json', 'model-00001-of-00002.safetensors', 'README.md']],
  ])('%s is a language model', (label, names) => {
    const { model, imports, problem } = sorted(label, ...names);
    expect(model).toMatchObject({ label });
    expect(model?.files.map(({ name }) => name)).toEqual(names);
    expect([imports, problem]).toEqual([[], '']);
  });

  test('runs, policies and adapters are imported, each', () => {
    const { model, imports, problem } = sorted('files', 'a.tabgym', 'b.ZIP');
    expect(imports.map(({ name }) => name)).toEqual(['a.tabgym', 'b.ZIP']);
    expect([model, problem]).toEqual([null, '']);
  });

  test("an adapter's files are imported together, without the trainer's other files", () => {
    const own = ['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json', 'chat_template.jinja'];
    const { adapter, model, imports, trajectories, problem } = sorted(
      'peft',
      ...own,
      'README.md',
      'trainer_state.json',
    );
    expect(adapter?.label).toBe('peft');
    expect(adapter?.files.map(({ name }) => name)).toEqual(own);
    expect([model, imports, trajectories, problem]).toEqual([null, [], null, '']);
    for (const label of ['files', own[0]]) expect(sorted(label, ...own).adapter?.label).toBe('adapter');
  });

  test.each([
    [/Nothing usable was dropped/, 'nothing', []],
    [/^“notes.txt” cannot be opened. A run is a .tabgym file/, 'notes.txt', ['notes.txt']],
    [/4 files of “photos” cannot be opened/, 'photos', ['a.png', 'b.png', 'c.png', 'd.png']],
    [/“peft” is part of an adapter: adapter_model.safetensors is missing/, 'peft', ['adapter_config.json']],
    [/“peft” is part of an adapter: adapter_config.json is missing/, 'peft', ['adapter_model.safetensors']],
  ] as const)('unusable files are reported: %s', (message, label, names) => {
    const { model, imports, problem } = sorted(label, ...names);
    expect(problem).toMatch(message);
    expect([model, imports]).toEqual([null, []]);
  });

  test.each([['play.jsonl'], ['train.json'], ['log.jsonl.gz'], ['rollouts.ndjson'], ['rows.parquet']])(
    '%s is read',
    (name) => {
      const { trajectories, problem } = sorted(name, name);
      expect([trajectories?.name, problem]).toEqual([name, '']);
    },
  );

  test("verl's merged folder is its model, with a warning of the adapter inside", () => {
    const names = ['config.json', 'model.safetensors', 'lora_adapter/adapter_config.json'];
    const { model, adapter, problem } = sorted('merged', ...names, 'lora_adapter/adapter_model.safetensors');
    expect([model?.files.map(({ name }) => name), adapter]).toEqual([names.slice(0, 2), null]);
    const alone = sorted('merged', ...names.slice(2), 'lora_adapter/adapter_model.safetensors');
    expect(alone.adapter?.files.map(({ name }) => name)).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(problem).toMatch(
      /^“merged” holds a base model and, in its folder lora_adapter, an adapter that is not applied/,
    );
  });

  test.each([['config.json'], ['tokenizer_config.json'], ['model.safetensors.index.json']])(
    '%s is not read',
    (name) => {
      const { trajectories, problem } = sorted(name, name);
      expect([trajectories, problem]).toEqual([null, expect.stringContaining(name)]);
    },
  );

  test('of several experiments or trajectories the first is read, and the others are asked for', () => {
    const { trajectories, problem } = sorted('files', 'a.json', 'b.json', 'c.jsonl', 'notes.txt');
    expect(trajectories?.name).toBe('a.json');
    expect(problem).toMatch(/^“a.json” is read. Drop the others one by one: .* “notes.txt” cannot be opened/);
  });

  test('usable files beside them are imported', () => {
    const { imports, problem } = sorted('files', 'a.tabgym', 'notes.txt');
    expect(imports.length).toBe(1);
    expect(problem).toContain('“notes.txt”');
  });

  test('a name is cut, and shown without what would hide its end', () => {
    expect(shownName('a\u202egnp.tabgym\n')).toBe('a\ufffdgnp.tabgym\ufffd');
    expect(shownName('x'.repeat(100_000))).toBe(`${'x'.repeat(80)}…`);
    expect(sorted('x'.repeat(1000), `${'y'.repeat(1000)}.docx`).problem.length).toBeLessThan(700);
  });

  test('an adapter goes to the import as its files, with one call', async () => {
    const imported: string[][] = [];
    const nothing = async () => {};
    const library = {
      importFile: nothing,
      importAdapter: async ({ files }: PickedFiles) => void imported.push(files.map(({ name }) => name)),
    };
    const notices: string[] = [];
    const page = {
      store: new Store(),
      notifier: { notify: (_: string, message: string) => void notices.push(message) },
      layout: { showPanel: () => {}, showLab: () => {} },
      navigation: { select: () => {} },
      library,
      assignments: { openFile: async () => {} },
      links: { openExperiment: nothing },
    };
    const names = ['adapter_config.json', 'adapter_model.safetensors', 'README.md'];
    const files = names.map((name) => ({ name, file: new File([], name) }));
    await new FileDrop(page).take({ label: 'peft', files });
    expect([imported, notices]).toEqual([[['adapter_config.json', 'adapter_model.safetensors']], []]);
    // A file that was deleted after it was chosen.
    const gone = Object.assign(new File(['{}'], 'train.json'), {
      text: () => Promise.reject(new Error('It could not be found.')),
    });
    await new FileDrop(page).take({ label: 'train.json', files: [{ name: 'train.json', file: gone }] });
    expect(notices).toEqual([expect.stringContaining('It could not be found.')]);
  });
});

test('a file that cannot be imported is named in the notice', async () => {
  const store = new Store();
  const refuse = () => Promise.reject(new Error('It is damaged.'));
  const api = () => ({ importRun: refuse, importPolicy: refuse }) as unknown as TrainerApi;
  const library = new Library(store, api, new Notifier(store), {} as Events, { parts: { importRun: refuse } } as never);
  for (const name of ['a.tabgym', `${'b'.repeat(500)}.zip`]) await library.importFile(new File([], name));
  expect(store.state.notices.map(({ message }) => message)).toEqual([
    '“a.tabgym” was not imported. It is damaged.',
    `“${'b'.repeat(80)}…” was not imported. It is damaged.`,
  ]);
});

test.each([
  [null, ['a']],
  ['c', []],
])('undoing a deletion opens the run that was open; then open is %s', async (openMeanwhile, expected) => {
  const run = mockSummary('a', 'maze', 3);
  const store = new Store();
  store.set({ run: run, runs: [run, mockSummary('b', 'other', 3)] });
  const opened: string[] = [];
  const api = () => ({ deleteRun: async () => {}, restoreRun: async () => {}, listRuns: async () => [] });
  const focus = { open: async (id: string) => void opened.push(id), close: () => store.set({ run: null }) };
  const events = { takeRuns: () => {} };
  const library = new Library(store, api as never, new Notifier(store), events as never, focus as never);
  await library.remove(...store.state.runs);
  const [{ undo }] = store.state.notices;
  if (openMeanwhile) store.set({ run: mockSummary(openMeanwhile, 'new', 0) });
  undo!();
  await expect.poll(() => opened).toEqual(expected);
});
