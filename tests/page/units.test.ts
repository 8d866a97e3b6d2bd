/**
 * Parts of the page that need no browser: settings compared with the schema, collected events, places in the URL,
 * diagnosis.
 */
import { describe, expect, test } from 'vitest';
import { ExperimentSchema } from '../../src/experiment/experiment.ts';
import { findKnob, knobs } from '../../src/experiment/knobs.ts';
import { differences, readPath, writePath } from '../../src/experiment/paths.ts';
import { metrics } from '../../src/rl/metrics/metrics.ts';
import { everyModel, modelConnection, modelSettings } from '../../src/session/api/model-connection.ts';
import type { SessionEvent, StepRecord } from '../../src/session/protocol.ts';
import { Connections, importedRoot, withConnection } from '../../src/ui/control/connections.ts';
import { problemsOf } from '../../src/ui/control/draft.ts';
import { withoutReplaced as compactEvents, Gatherer } from '../../src/ui/control/event-gatherer.ts';
import { sortFiles } from '../../src/ui/control/file-drop.ts';
import { MOST_STARTS, RestartedError, SILENT_TICKS, Supervisor } from '../../src/ui/control/supervisor.ts';
import { mockExperiment, mockRecord, mockStep, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { bytes, compact } from '../../src/ui/kit/format.ts';
import { turnWindow } from '../../src/ui/stage/turn-window.ts';
import { pendingChanges } from '../../src/ui/state/changes.ts';
import { diagnose } from '../../src/ui/state/diagnosis.ts';
import { segmentsOf, tokenFacts } from '../../src/ui/state/episodes.ts';
import { inputFiles } from '../../src/ui/state/picked-files.ts';
import { readSuccess } from '../../src/ui/state/score.ts';
import { formatHash, noSelection, parseHash } from '../../src/ui/state/selection.ts';
import { charts, smoothed } from '../../src/ui/state/series.ts';
import { progressText } from '../../src/ui/state/work-progress.ts';
import { worldModules } from '../../src/worlds/registry.ts';

interface Leaf {
  path: string;
  min?: number;
  max?: number;
  /** Longest text in characters. */
  longest?: number;
  multipleOf?: number;
  choices?: readonly string[];
  nullable: boolean;
}

type AnySchema = {
  type: string;
  entries?: { [key: string]: AnySchema };
  item?: AnySchema;
  wrapped?: AnySchema;
  pipe?: AnySchema[];
  options?: unknown[];
  requirement?: unknown;
  literal?: string;
};

/** A bound anywhere in the pipe; pipes nest. */
const bound = (schema: AnySchema, type: string): number | undefined =>
  schema.pipe
    ?.map((each) =>
      each.type === type ? (each.requirement as number) : each === schema.pipe![0] ? bound(each, type) : undefined,
    )
    .find((each) => each !== undefined);

const bounds = ({ min, max, multipleOf, nullable }: Leaf) => JSON.stringify([min, max, multipleOf, nullable]);

/**
 * Merges the same field of several variants: its choices are those of all variants together, and its bounds must agree.
 */
function merged(all: readonly Leaf[]): Leaf[] {
  const byPath = new Map<string, Leaf>();
  for (const leaf of all) {
    const before = byPath.get(leaf.path);
    if (before && bounds(before) !== bounds(leaf)) throw new Error(`${leaf.path} has other bounds in another variant`);
    const choices = [...new Set([...(before?.choices ?? []), ...(leaf.choices ?? [])])];
    byPath.set(leaf.path, choices.length ? { ...leaf, choices } : leaf);
  }
  return [...byPath.values()];
}

/** Every leaf of the schema with its bounds, with paths as in the registry. */
function leaves(schema: AnySchema, path: string, nullable = false): Leaf[] {
  if (schema.type === 'optional') return leaves(schema.wrapped!, path, nullable);
  if (schema.type === 'nullable') return leaves(schema.wrapped!, path, true);
  if (schema.type === 'variant') return merged((schema.options as AnySchema[]).flatMap((each) => leaves(each, path)));
  if (schema.entries)
    return Object.entries(schema.entries).flatMap(([key, each]) => leaves(each, path ? `${path}.${key}` : key));
  const base = schema.pipe?.[0] ?? schema;
  if (base.type === 'array' && base.item!.type === 'picklist')
    return [{ path, nullable, choices: base.item!.options as string[] }];
  if (base.type === 'array') return leaves(base.item!, `${path}.*`);
  if (base.type === 'record') return [];
  if (base.type === 'union') return [{ ...leaves((base.options as AnySchema[])[0], path)[0], nullable }];
  const choices =
    base.type === 'picklist' ? (base.options as string[]) : base.type === 'literal' ? [base.literal!] : undefined;
  return [
    {
      path,
      nullable,
      choices,
      min: bound(schema, 'min_value'),
      max: bound(schema, 'max_value'),
      longest: bound(schema, 'max_length'),
      multipleOf: bound(schema, 'multiple_of'),
    },
  ];
}

describe('settings', () => {
  // An adapter's layers come with an imported adapter and are no setting of the page.
  const without = ['format', 'policy.lora.layers.*'];
  const all = leaves(ExperimentSchema as unknown as AnySchema, '').filter((leaf) => !without.includes(leaf.path));

  test('the walk of the schema finds its fields', () => {
    expect(all.length).toBeGreaterThan(45);
    expect(all.map((leaf) => leaf.path)).toContain('algorithm.endings.invalidAction.penalty');
  });

  test.each(all.map((leaf) => [leaf.path, leaf] as const))(
    '%s has a setting with the bounds of the schema',
    (path, leaf) => {
      const knob = findKnob(path);
      expect(knob, 'no knob').toBeDefined();
      if (knob!.kind === 'text') return;
      const { min, max, longest, multipleOf, choices } = knob!;
      expect({ min, max, longest, multipleOf, choices, nullable: knob!.nullMeans !== undefined }).toEqual({
        min: leaf.min,
        max: leaf.max,
        longest: leaf.longest,
        multipleOf: leaf.multipleOf,
        choices: leaf.choices,
        nullable: leaf.nullable,
      });
    },
  );

  test('every setting is a field, or an option of a world', () => {
    const known = new Set(all.map((leaf) => leaf.path));
    const others = knobs.filter((knob) => !known.has(knob.path)).map((knob) => knob.path);
    expect(others.filter((path) => !path.startsWith('worlds.*.options.'))).toEqual([]);
    expect(others).toContain('worlds.*.options.depths');
  });

  test.each(worldModules.map((module) => [module.title, module] as const))(
    'every option of %s has a setting, with the texts and bounds of its schema',
    (_, { name, options }) => {
      const mine = knobs.filter(({ worlds }) => worlds?.includes(name));
      const schema = leaves(options.schema as unknown as AnySchema, '');
      expect(mine.map(({ path }) => path.replace('worlds.*.options.', ''))).toEqual(
        schema.map(({ path }) => path.replace(/\.\*$/, '')),
      );
      mine.forEach((knob, i) => {
        expect({ min: knob.min, max: knob.max }, knob.path).toEqual({ min: schema[i].min, max: schema[i].max });
        if (schema[i].choices) expect(knob.choices).toEqual(schema[i].choices);
        const document = { worlds: [{ name, weight: 1, evaluated: true, options: {} }] };
        expect(findKnob(knob.path.replace('*', '0'), document)).toBe(knob);
      });
      expect(new Set(knobs.map(({ id, path }) => id ?? path)).size).toBe(knobs.length);
    },
  );

  test('every explanation is one sentence with a capital and a full stop', () => {
    for (const knob of knobs) expect(knob.sentence).toMatch(/^[A-Z].*\.$/);
  });

  test('concrete paths find their pattern', () => {
    expect(findKnob('horizon.3.turns')?.label).toBe('Most turns');
    expect(findKnob('horizon.3.nothing')).toBeUndefined();
  });
});

describe('paths', () => {
  const draft = mockExperiment('a');

  test('a write copies along the path and shares the rest', () => {
    const next = writePath(draft, 'horizon.0.turns', 9);
    expect(readPath(next, 'horizon.0.turns')).toBe(9);
    expect(readPath(draft, 'horizon.0.turns')).toEqual({ oraclePlus: 1 });
    expect(next.optimizer).toBe(draft.optimizer);
  });

  test('undefined removes a value', () => {
    expect(Object.keys(writePath(draft, 'worlds.0.options.distractors', undefined).worlds[0].options)).toEqual([
      'depths',
      'listSeed',
    ]);
  });

  test('differences name each leaf', () => {
    const next = writePath(writePath(draft, 'optimizer.learningRate', 0.1), 'worlds.0.options.depths', [1, 2]);
    expect(differences(draft, next)).toEqual([
      { path: 'worlds.0.options.depths', from: [1], to: [1, 2] },
      { path: 'optimizer.learningRate', from: 0.002, to: 0.1 },
    ]);
  });
});

describe('the effect of a change', () => {
  const run = mockSummary('a', 'a', 12);
  const change = (path: string, value: unknown) => pendingChanges(run, writePath(run.experiment, path, value)).kind;

  test('none, a rename, a fork, a new run', () => {
    expect(pendingChanges(run, run.experiment).kind).toBe('none');
    expect(change('name', 'b')).toBe('free');
    expect(change('optimizer.learningRate', 0.1)).toBe('fork');
    expect(change('policy.hidden', 96)).toBe('restart');
    const { layers } = run.experiment.policy as { layers: number };
    expect(change('policy.layers', layers + 1)).toBe('fork');
    expect(change('policy.layers', layers - 1)).toBe('restart');
    expect(change('horizon', [...run.experiment.horizon, { steps: 5, turns: 9 }])).toBe('fork');
  });

  test('before the first step there is nothing to fork', () => {
    const fresh = mockSummary('a', 'a', 0);
    expect(pendingChanges(fresh, writePath(fresh.experiment, 'optimizer.learningRate', 0.1)).kind).toBe('restart');
  });
});

describe('collecting events', () => {
  const live = (turn: number): SessionEvent => ({
    type: 'live',
    runId: 'a',
    live: { step: 1, group: 0, member: 0, turn, action: '', observation: '', reward: 0, done: false, view: null },
  });
  const step = (number: number): SessionEvent => ({
    type: 'step',
    runId: 'a',
    record: { step: number, stage: 1, metrics: {} },
  });
  const progress = (done: number): SessionEvent => ({
    type: 'progress',
    runId: 'a',
    progress: { what: 'x', done, total: 9, unit: 'steps' },
  });

  test('keeps every step, and only the newest of events that replace each other', () => {
    expect(compactEvents([progress(1), step(1), progress(2), step(2)])).toEqual([step(1), progress(2), step(2)]);
  });

  test('cuts the live episode to its last turns', () => {
    const kept = compactEvents(Array.from({ length: 500 }, (_, turn) => live(turn)));
    expect(kept).toHaveLength(64);
    expect(kept.at(-1)).toEqual(live(499));
  });

  test('draws nothing on a hidden page, and delivers at most ten times a second', () => {
    let [hidden, now] = [false, 0];
    const due: { at: number; run(): void }[] = [];
    const delivered: SessionEvent[][] = [];
    const gatherer = new Gatherer({
      hidden: () => hidden,
      later: (run, ms) => due.push({ at: now + ms, run }),
      deliver: (events) => delivered.push(events),
    });
    const advance = (to: number) => {
      for (; now < to; now++) {
        gatherer.add(live(now));
        for (const each of due.splice(0))
          if (each.at <= now) each.run();
          else due.push(each);
      }
    };
    advance(1000);
    expect(delivered.length).toBeGreaterThan(5);
    expect(delivered.length).toBeLessThanOrEqual(10);
    hidden = true;
    const before = delivered.length;
    gatherer.add(step(1));
    advance(3000);
    expect(delivered.length).toBe(before);
    hidden = false;
    gatherer.wake();
    advance(3200);
    expect(delivered[before]).toContainEqual(step(1));
    expect(delivered[before].length).toBeLessThanOrEqual(65);
  });
});

describe('the place in the URL', () => {
  test('is written and read back', () => {
    const place = {
      ...{ run: 'run-1', step: 42, group: 3, member: 1, turn: 2, token: 17, tab: 'trajectory' as const },
      ...{ source: 'a file & more.jsonl', record: 12, beside: 0, list: 'success=yes&text=oak+log&sort=-score' },
    };
    expect(parseHash(formatHash(place))).toEqual(place);
    expect(formatHash(noSelection)).toBe('');
  });

  test('with nonsense is empty', () => {
    expect(parseHash('#step=-3&group=x&tab=evil&token=1e9')).toEqual(noSelection);
  });
});

describe('diagnosis', () => {
  const records = (change: (step: number) => { [metric: string]: number }): StepRecord[] =>
    Array.from({ length: 30 }, (_, index) => {
      const record = mockRecord(index + 1);
      return {
        ...record,
        metrics: { ...record.metrics, groupsWithoutSignal: 0.1, endingHorizon: 0.2, ...change(index + 1) },
      };
    });
  const ids = (list: StepRecord[]) => diagnose(list).map((hint) => hint.id);

  test('a healthy run has no hint', () => expect(ids(records(() => ({})))).toEqual([]));
  test('equal rewards', () => expect(ids(records(() => ({ groupsWithoutSignal: 0.9 })))).toEqual(['no-signal']));
  test('entropy', () => expect(ids(records((step) => ({ entropy: step < 10 ? 1 : 0.01 })))).toEqual(['entropy']));
  test('KL', () => expect(ids(records((step) => ({ kl: step < 26 ? 0.05 : 3 })))).toEqual(['kl']));
  test('horizon', () => expect(ids(records(() => ({ endingHorizon: 0.9 })))).toEqual(['horizon']));
  test('invalid actions', () => expect(ids(records(() => ({ validActions: 0.3 })))).toEqual(['invalid']));
  test('the beginning of a run is no problem', () => {
    const early = records(() => ({ groupsWithoutSignal: 0.7, endingHorizon: 0.9, validActions: 0.3 })).slice(0, 4);
    expect(ids(early)).toEqual([]);
  });
  test('steps without any signal are one', () => {
    expect(ids(records(() => ({ groupsWithoutSignal: 1 })).slice(0, 6))).toEqual(['no-signal']);
  });
  test('the hint names the newest step', () =>
    expect(diagnose(records(() => ({ endingHorizon: 0.9 })))[0].step).toBe(30));
});

describe('numbers', () => {
  test('every metric of a chart is in the registry', () => {
    const names = new Set(metrics.map((each) => each.name));
    for (const chart of charts()) for (const series of chart.series) expect(names).toContain(series.read);
  });

  test('success is the evaluation’s if there is one, beside chance', () => {
    expect(readSuccess([])).toBeNull();
    expect(readSuccess([mockRecord(19), mockRecord(20)])).toMatchObject({ evaluated: true, step: 20, chance: 0.22 });
    const mean = readSuccess([mockRecord(21), mockRecord(22)])!;
    expect(mean.rate).toBeCloseTo((mockRecord(21).metrics.success + mockRecord(22).metrics.success) / 2, 12);
  });

  test('smoothing starts at the first value and skips gaps', () => {
    const line = smoothed([null, 1, null, 1, 0]);
    expect(line[0]).toBeNull();
    expect(line[1]).toBeCloseTo(1, 12);
    expect(line[3]).toBeCloseTo(1, 12);
    expect(line[4]).toBeLessThan(1);
  });

  test('are formatted as text', () => {
    expect(bytes(136_134_656)).toBe('136 MB');
    expect(compact(0.00012)).toBe('1.2e-4');
    expect(compact(-0.5)).toBe('−0.5');
  });

  test('progress has a number only if one is known', () => {
    const text = (what: string, done: number, total: number | null, unit: 'kernels' | 'episodes' | 'steps') =>
      progressText({ what, done, total, unit });
    expect(text('Opening the worlds', 0, null, 'steps')).toBe('Opening the worlds');
    expect(text('Compiling rmsnorm_forward', 3, 40, 'kernels')).toBe('Compiling rmsnorm_forward: 3 of 40 kernels');
    expect(text('episodes', 12, 64, 'episodes')).toBe('Playing: 12 of 64 episodes');
    expect(text('held-out goals', 12, null, 'episodes')).toBe('Evaluating on held-out goals: 12 episodes');
    expect(text('something new', 1, 2, 'steps')).toBe('something new: 1 of 2 steps');
  });

  test('a refusal from the worker is read back, field by field', () => {
    expect(
      problemsOf('This experiment cannot be run:\n  policy.kvHeads: 3 does not divide 4 heads\n  steps: too many'),
    ).toEqual([
      { path: 'policy.kvHeads', message: '3 does not divide 4 heads' },
      { path: 'steps', message: 'too many' },
    ]);
  });
});

describe('reading an episode', () => {
  const trajectory = mockStep(30).find((each) => each.choices!.position.length > 2)!;

  test('segments cover every token once, in order', () => {
    const segments = segmentsOf(trajectory);
    const covered = segments.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index),
    );
    expect(covered).toEqual(Array.from(trajectory.tokens, (_, index) => index));
  });

  test('a chosen token has its alternatives, a forced one has none', () => {
    const [chosen] = trajectory.choices!.position;
    expect(tokenFacts(trajectory, chosen)).toMatchObject({ source: 'policy', forced: false });
    expect(tokenFacts(trajectory, chosen).allowed).toContain(trajectory.tokens[chosen]);
    const forced = trajectory.tokens.findIndex(
      (_, index) => trajectory.source[index] === 1 && !trajectory.choices!.position.includes(index),
    );
    expect(tokenFacts(trajectory, forced)).toMatchObject({ forced: true, allowed: null, logprob: 0 });
    expect(tokenFacts(trajectory, chosen).advantage).toBeCloseTo(trajectory.advantage, 5);
    expect(tokenFacts(trajectory, 0)).toMatchObject({ source: 'world', logprob: null, advantage: null });
  });

  test('the window of turns contains the chosen one, and stays small', () => {
    const lengths = Array.from({ length: 1000 }, () => 20);
    for (const chosen of [0, 1, 500, 998, 999]) {
      const { from, to } = turnWindow(lengths, chosen);
      expect(chosen >= from && chosen < to).toBe(true);
      expect(to - from).toBeLessThanOrEqual(41);
    }
    expect(turnWindow([5000], 0)).toEqual({ from: 0, to: 1 });
  });
});

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

  test.each([
    [/Nothing usable was dropped/, 'nothing', []],
    [/^“notes.txt” cannot be opened. A run is a .tabgym file/, 'notes.txt', ['notes.txt']],
    [/4 files of “photos” cannot be opened/, 'photos', ['a.png', 'b.png', 'c.png', 'd.png']],
    [/“peft” is an adapter. Pack adapter_config.json/, 'peft', ['adapter_config.json', 'adapter_model.safetensors']],
  ] as const)('unusable files are reported: %s', (message, label, names) => {
    const { model, imports, problem } = sorted(label, ...names);
    expect(problem).toMatch(message);
    expect([model, imports]).toEqual([null, []]);
  });

  test.each([['play.jsonl'], ['train.json'], ['log.jsonl.gz'], ['rollouts.ndjson']])('%s is read', (name) => {
    const { trajectories, problem } = sorted(name, name);
    expect([trajectories?.name, problem]).toEqual([name, '']);
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
});

describe('the supervisor of a worker', () => {
  interface Api {
    ping(): Promise<void>;
    work(what: string): Promise<string>;
  }

  /** Workers that answer until `hang` is called; `tick` lets a second pass. */
  function supervised() {
    const workers: { hangs: boolean; ended: boolean }[] = [];
    const notices: string[] = [];
    let next = () => {};
    let hangs = false;
    const spawn = () => {
      const worker = { hangs, ended: false };
      workers.push(worker);
      const answer = <T>(value: T) => (worker.hangs ? new Promise<T>(() => {}) : Promise.resolve(value));
      const number = workers.length;
      const api: Api = { ping: () => answer(undefined), work: (what) => answer(`${what} by ${number}`) };
      return {
        api,
        terminate() {
          worker.ended = true;
        },
      };
    };
    const supervisor = new Supervisor<Api>({
      spawn,
      ping: (api) => api.ping(),
      every: (tick) => {
        next = tick;
      },
      onRestart: () => notices.push('restart'),
      onGivenUp: (error) => notices.push(error.message),
    });
    const tick = async (times: number) => {
      for (let i = 0; i < times; i++) {
        next();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    };
    const hang = (future = false) => {
      workers.at(-1)!.hangs = true;
      hangs = future;
    };
    return { supervisor, workers, notices, tick, hang };
  }

  test('keeps a worker that answers, however long its work takes', async () => {
    const { supervisor, workers, notices, tick } = supervised();
    await tick(5 * SILENT_TICKS);
    expect(await supervisor.api.work('this')).toBe('this by 1');
    expect([workers.length, notices]).toEqual([1, []]);
  });

  test('replaces a silent worker, rejects its open calls, and passes new calls to the next', async () => {
    const { supervisor, workers, notices, tick, hang } = supervised();
    await tick(3);
    hang();
    const lost = supervisor.api.work('this').catch((error: Error) => error);
    await tick(SILENT_TICKS);
    expect(workers).toHaveLength(1);
    await tick(1);
    expect(await lost).toBeInstanceOf(RestartedError);
    expect([workers[0].ended, workers[1].ended, notices]).toEqual([true, false, ['restart']]);
    expect(await supervisor.api.work('that')).toBe('that by 2');
  });

  test('gives up after several that never answered, and rejects every call', async () => {
    const { supervisor, workers, notices, tick, hang } = supervised();
    hang(true);
    await tick(3 * MOST_STARTS * SILENT_TICKS);
    expect(workers.map(({ ended }) => ended)).toEqual(Array(MOST_STARTS).fill(true));
    expect(notices.at(-1)).toContain('Reload the page');
    await expect(supervisor.api.work('this')).rejects.toThrow('Reload the page');
  });
});

describe('addresses and tokens of worlds', () => {
  const ran = (id: string, origin: object) => ({ id, origin }) as Parameters<typeof importedRoot>[1][number];
  const runs = [
    ran('mine', { kind: 'new' }),
    ran('theirs', { kind: 'import', file: 'a.tabgym' }),
    ran('fork', { kind: 'fork', parent: 'theirs', step: 3, changes: [] }),
    ran('copy', { kind: 'duplicate', parent: 'fork', step: 3 }),
    ran('orphan', { kind: 'fork', parent: 'gone', step: 3, changes: [] }),
  ];

  test('tell which runs came from a file, directly or through forks', () => {
    const roots = runs.map((run) => importedRoot(run, runs));
    expect(roots).toEqual([null, 'theirs', 'theirs', 'theirs', 'orphan']);
    expect(importedRoot(null, runs)).toBeNull();
  });

  test('are withheld from a foreign experiment until a person allows it', () => {
    const connections = new Connections();
    connections.change('textcraft', { address: 'http://a' }, null);
    const settings = { textcraft: { address: 'http://a' } };
    expect(connections.settingsFor(null, ['textcraft'])).toEqual(settings);
    expect(connections.settingsFor('theirs', ['textcraft', 'maze'])).toEqual({
      textcraft: { withheld: true },
      maze: { withheld: true },
      [everyModel]: { withheld: true },
    });
    connections.inherit('anew', 'theirs');
    expect(connections.rootOf('anew')).toBe('theirs');
    connections.allow('theirs');
    expect(connections.settingsFor('theirs', ['textcraft'])).toEqual(settings);
    expect(connections.mayUse('others')).toBe(false);
    // An address typed while an experiment is open is allowed for it.
    connections.change('maze', { address: 'http://b' }, 'others');
    expect(connections.mayUse('others')).toBe(true);
  });

  test('include a model’s key only for the address it was typed for, in any spelling', () => {
    const connections = new Connections();
    connections.change(modelConnection('http://a/v1'), { token: 'secret' }, null);
    const settingsFor = (run: string | null) => new Map(Object.entries(connections.settingsFor(run, [])));
    expect(modelSettings(settingsFor(null), 'HTTP://a/v1/')).toEqual({ token: 'secret' });
    expect(modelSettings(settingsFor(null), 'http://b/v1')).toEqual({});
    expect(modelSettings(settingsFor('theirs'), 'http://a/v1')).toEqual({ withheld: true });
  });

  test('change one at a time, and an empty one is dropped', () => {
    const one = withConnection({}, 'web', { address: 'http://a' });
    const two = withConnection(one, 'web', { token: 'secret' });
    expect(two).toEqual({ web: { address: 'http://a', token: 'secret' } });
    expect(withConnection(two, 'web', { token: '' })).toEqual(one);
    expect(withConnection(one, 'web', { address: '' })).toEqual({});
    expect(withConnection(one, 'shop', { address: 'http://b' })).toEqual({ ...one, shop: { address: 'http://b' } });
  });
});
