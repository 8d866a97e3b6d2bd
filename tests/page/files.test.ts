/** Picked and dropped files: their names, and which are models, runs, trajectories or unusable. */
import { describe, expect, test } from 'vitest';
import type { TrainerApi } from '../../src/session/protocol.ts';
import type { Events } from '../../src/ui/control/events.ts';
import { FileDrop, sortFiles } from '../../src/ui/control/file-drop.ts';
import { Library } from '../../src/ui/control/library.ts';
import { Notifier } from '../../src/ui/control/notifier.ts';
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
  });
});

test('a file that cannot be imported is named in the notice', async () => {
  const store = new Store();
  const refuse = () => Promise.reject(new Error('It is damaged.'));
  const api = () => ({ importRun: refuse, importPolicy: refuse }) as unknown as TrainerApi;
  const library = new Library(store, api, new Notifier(store), {} as Events, {} as never);
  for (const name of ['a.tabgym', `${'b'.repeat(500)}.zip`]) await library.importFile(new File([], name));
  expect(store.state.notices.map(({ message }) => message)).toEqual([
    '“a.tabgym” was not imported. It is damaged.',
    `“${'b'.repeat(80)}…” was not imported. It is damaged.`,
  ]);
});
