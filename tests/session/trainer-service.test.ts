// The page's API on stand-in engines: two tabs, forks, copies, the bin, import and export of files.
import { promises as fs, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import type { Hold, Locks } from '../../src/session/service/ownership.ts';
import { TrainerService } from '../../src/session/service/trainer-service.ts';
import { writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { FakeEngines, type Hook } from './fakes.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-service-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Locks shared by two services of one process, as two tabs share the browser's. */
class SharedLocks implements Locks {
  private readonly held = new Map<string, { onLost: () => void }>();

  async acquire(runId: string, onLost: () => void): Promise<Hold | null> {
    return this.held.has(runId) ? null : this.take(runId, onLost);
  }

  async steal(runId: string, onLost: () => void): Promise<Hold> {
    this.held.get(runId)?.onLost();
    return this.take(runId, onLost);
  }

  private take(runId: string, onLost: () => void): Hold {
    const mine = { onLost };
    this.held.set(runId, mine);
    return { release: () => void (this.held.get(runId) === mine && this.held.delete(runId)) };
  }
}

function tab(locks: Locks = new SharedLocks(), hook: Hook = () => {}) {
  const engines = new FakeEngines(hook);
  const store = new RunStore(new FolderStore(folder));
  const service = new TrainerService({ store, engines, locks, presets: [micro] });
  const events: SessionEvent[] = [];
  return { service, engines, events, store, started: service.start((event) => events.push(event)) };
}

const recordsOf = async (service: TrainerService, id: string) => (await service.openRun(id)).records.map(withoutTimes);

it('keeps the last given addresses of the worlds’ servers', async () => {
  const connections = new Map();
  const parts = { store: new RunStore(new FolderStore(folder)), engines: new FakeEngines(), locks: new SharedLocks() };
  const service = new TrainerService({ ...parts, presets: [micro], connections });
  await service.connect({ web: { address: 'http://127.0.0.1:1', token: 'secret' }, shop: { address: 'http://a' } });
  await service.connect({ web: { address: 'http://127.0.0.1:2' } });
  expect([...connections]).toEqual([['web', { address: 'http://127.0.0.1:2' }]]);
});

describe('a run', () => {
  it('is created, trained, read, and replayed', async () => {
    const { service, events } = tab();
    const run = await service.createRun(micro, 'mine');
    await service.train(run.id, { steps: 3 });
    expect((await service.openRun(run.id)).summary).toMatchObject({ name: 'mine', step: 3 });
    const detail = await service.stepDetail(run.id, 2);
    expect(detail!.trajectories.map((t) => t.member)).toEqual([0, 1]);
    expect(await service.stepDetail(run.id, 99)).toBeNull();
    expect(await service.tokenTexts(run.id)).toEqual(['[UNK]', 'oak']);
    const frames = await service.replay(run.id, 2, 0, 0);
    expect(frames.map((f) => f.view.text)).toEqual(['', 'get 1 oak']);
    await expect(service.replay(run.id, 99, 0, 0)).rejects.toThrow('not kept');
    expect(events.some((e) => e.type === 'runs')).toBe(true);
  });

  it('refuses a malformed experiment with its path', async () => {
    await expect(tab().service.createRun({ ...micro, steps: 0 })).rejects.toThrow(
      /steps: must be at least 1 \(it is 0\)/,
    );
  });

  it('is named, deleted, restored and purged', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await service.rename(run.id, 'other');
    await service.deleteRun(run.id);
    expect((await service.listRuns())[0]).toMatchObject({ name: 'other', deletedUntil: expect.any(Number) });
    await service.restoreRun(run.id);
    expect((await service.listRuns())[0].deletedUntil).toBeNull();
    await service.purgeRun(run.id);
    expect(await service.listRuns()).toEqual([]);
  });

  it('stops when it is deleted while it trains, and can be restored', async () => {
    const { service } = tab(undefined, async (what, step, _engine, signal) => {
      if (what === 'step' && step === 2) {
        void service.deleteRun(run.id);
        await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
    });
    const run = await service.createRun(micro);
    await service.train(run.id);
    await service.restoreRun(run.id);
    expect(await service.listRuns()).toMatchObject([{ step: 1, deletedUntil: null }]);
  });
});

describe('a fork', () => {
  it('starts at its step, remembers the changes, and trains with them', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await service.train(run.id);
    const changed = structuredClone({
      ...run.experiment,
      optimizer: { ...run.experiment.optimizer, learningRate: 0.01 },
    });
    const fork = await service.fork(run.id, 7, changed);
    expect(fork.name).toBe(`${run.name}, lr 0.01`);
    expect((await service.fork(run.id, 7, changed)).name).toBe(`${run.name}, lr 0.01 (2)`);
    expect((await service.fork(run.id, 7, run.experiment)).name).toBe(`${run.name}, from step 7`);
    expect((await service.fork(run.id, 7, { ...changed, name: 'mine' })).name).toBe('mine');
    expect(fork.origin).toEqual({
      kind: 'fork',
      parent: run.id,
      step: 7,
      changes: [{ path: 'optimizer.learningRate', from: 0.002, to: 0.01 }],
    });
    const [parent, before] = [await recordsOf(service, run.id), await recordsOf(service, fork.id)];
    expect(before).toEqual(parent.slice(0, 8));
    await service.train(fork.id);
    const after = await recordsOf(service, fork.id);
    expect(after).toHaveLength(9);
    expect(after[8].metrics.norm).not.toBe(parent[8].metrics.norm);
  });

  it('repeats its parent if nothing was changed', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await service.train(run.id);
    const fork = await service.fork(run.id, 7, run.experiment);
    await service.train(fork.id);
    expect(await recordsOf(service, fork.id)).toEqual(await recordsOf(service, run.id));
  });

  it('is refused if the weights would not fit or there is no checkpoint', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await service.train(run.id);
    const wider = { ...micro, policy: { ...micro.policy, hidden: 64 } };
    await expect(service.fork(run.id, 8, wider)).rejects.toThrow(/policy\.hidden: cannot change within a run/);
    await expect(service.fork(run.id, 5, micro)).rejects.toThrow('Step 5 has no checkpoint. These have one: 0, 7, 8.');
    await expect(service.fork(run.id, 8, { ...micro, steps: 5 })).rejects.toThrow(
      /steps: is 5, but the fork begins at step 8/,
    );
  });
});

describe('files', () => {
  it('a copy made during training has the records and checkpoints of one step', async () => {
    const slow = async (...args: Parameters<typeof fs.readFile>) => {
      if (String(args[0]).endsWith('.bin')) await new Promise((resolve) => setTimeout(resolve, 50));
      return fs.readFile(...args);
    };
    const store = new RunStore(new FolderStore(folder, { ...fs, readFile: slow as typeof fs.readFile }));
    const parts = { store, engines: new FakeEngines(), locks: new SharedLocks() };
    const service = new TrainerService({ ...parts, presets: [micro] });
    const run = await service.createRun(micro);
    await service.train(run.id, { steps: 2 });
    const copying = service.duplicate(run.id);
    await service.train(run.id);
    const copy = await copying;
    expect((await service.records(copy.id)).at(-1)?.step).toBe(copy.step);
    expect((await service.checkpointSteps(copy.id)).at(-1)).toBe(copy.step);
  });

  it('a run with a damaged record is named, and its copy opens and trains on', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await service.train(run.id, { steps: 4 });
    const file = join(folder, 'runs', run.id, 'records-000000.jsonl');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace('"step":2,', '"step":2,"more":1,'));
    await expect(service.openRun(run.id)).rejects.toThrow(/record of step 2 .*Duplicate the run/);
    const copy = await service.duplicate(run.id);
    expect((await service.openRun(copy.id)).records.map(({ step }) => step)).toEqual([0, 1, 3, 4]);
    await service.train(copy.id);
    expect((await service.records(copy.id)).at(-1)?.step).toBe(micro.steps);
    const exported = await service.exportRun(copy.id);
    expect((await service.importRun(exported, 'copy.tabgym')).step).toBe(micro.steps);
  });

  it('a run is exported, imported into an empty store, and continues with the same numbers', async () => {
    const one = tab();
    const run = await one.service.createRun(micro);
    await one.service.train(run.id, { steps: 4 });
    const file = await one.service.exportRun(run.id);
    await one.service.train(run.id);
    const there = mkdtempSync(join(tmpdir(), 'tabgym-there-'));
    try {
      const parts = {
        store: new RunStore(new FolderStore(there)),
        engines: new FakeEngines(),
        locks: new SharedLocks(),
      };
      const other = new TrainerService({ ...parts, presets: [micro] });
      const imported = await other.importRun(file, 'run.tabgym');
      expect(imported).toMatchObject({ step: 4, origin: { kind: 'import', file: 'run.tabgym' } });
      await other.train(imported.id);
      expect(await recordsOf(other, imported.id)).toEqual(await recordsOf(one.service, run.id));
    } finally {
      rmSync(there, { recursive: true, force: true });
    }
  });

  it.each(['llama', 'qwen2', 'qwen3'])('a policy is exported and imported unchanged: %s', async (modelType) => {
    const { service } = tab();
    const config = parseConfig({
      model_type: modelType,
      vocab_size: 40,
      hidden_size: 16,
      intermediate_size: 32,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      head_dim: 8,
      max_position_embeddings: 128,
      rms_norm_eps: 1e-6,
      tie_word_embeddings: true,
    });
    const tokenizer = JSON.stringify({ model: { type: 'WordLevel', vocab: { a: 0 }, unk_token: 'a' } });
    const saved = saveCheckpoint(config, initWeights(config, { seed: 3, std: 0.1 }), tokenizer);
    const bytes = (text: string) => new TextEncoder().encode(text);
    const zip = writePolicy({
      'config.json': bytes(saved['config.json']),
      'model.safetensors': saved['model.safetensors'],
      'tokenizer.json': bytes(saved['tokenizer.json']!),
    });
    const run = await service.importPolicy(new Blob([zip]), 'policy.zip');
    expect(run.experiment.policy).toMatchObject({
      layers: 1,
      hidden: 16,
      heads: 2,
      kvHeads: 1,
      headDim: 8,
      qkNorm: modelType === 'qwen3',
      qkvBias: modelType === 'qwen2',
    });
    expect(new Uint8Array(await (await service.exportPolicy(run.id)).arrayBuffer())).toEqual(zip);
  });

  it('a run without a step has no policy to export', async () => {
    const { service } = tab();
    const run = await service.createRun(micro);
    await expect(service.exportPolicy(run.id)).rejects.toThrow('no policy yet');
  });

  it('an import reports its progress, and leaves nothing behind once it is canceled', async () => {
    const { service, store } = tab();
    const made = await service.createRun(micro);
    const records = Array.from({ length: 2001 }, (_, step) => ({ step, metrics: { success: 0.5 } }));
    const run = await store.create({
      name: 'long',
      experiment: made.experiment,
      origin: { kind: 'new' },
      step: 2000,
      records,
    });
    const file = await service.exportRun(run.id);
    await service.purgeRun(made.id);
    await service.purgeRun(run.id);
    const shares: number[] = [];
    const cancelAt = async (share: number) => {
      const importing = service.importRun(file, 'long.tabgym', null, false, (each) => each < share);
      await expect(importing).rejects.toMatchObject({ name: 'ImportCanceledError' });
      expect(await service.listRuns()).toEqual([]);
    };
    await cancelAt(0);
    // Canceled after it was written.
    await cancelAt(1);
    const back = await service.importRun(file, 'long.tabgym', null, false, (share) => shares.push(share) > 0);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect([shares[0] < 0.2, shares.at(-1)]).toEqual([true, 1]);
    expect((await service.openRun(back.id)).records).toEqual(records);
  });

  it('a file that is not a run changes nothing', async () => {
    const { service } = tab();
    await expect(service.importRun(new Blob(['hello']), 'x')).rejects.toThrow('not a complete zip');
    expect(await service.listRuns()).toEqual([]);
  });
});

describe('files of trajectories', () => {
  const staged = (file: string | null) => ({
    ...micro,
    stages: [{ steps: 2, algorithm: { name: 'sft', groups: 2, groupSize: 4, file } }],
  });
  const play = (text: string) => new Blob([text]);
  const assetOf = async (store: RunStore, id: string, file: string) => {
    const bytes = await store.asset(id, `recording-${file}`);
    return bytes && new TextDecoder().decode(bytes);
  };

  it('are stored with the runs that name them: a new one, a fork, one created later', async () => {
    const { service, store } = tab();
    await expect(service.createRun(staged('a.jsonl'))).rejects.toThrow(/learns from a.jsonl, which is not here/);
    expect(await service.listRuns()).toEqual([]);
    await service.keepRecording(play('one'), 'a.jsonl');
    const run = await service.createRun(staged('a.jsonl'));
    expect(await assetOf(store, run.id, 'a.jsonl')).toBe('one');
    await service.train(run.id, { steps: 1 });
    await service.keepRecording(play('two'), 'b.jsonl');
    const fork = await service.fork(run.id, 1, staged('b.jsonl'));
    expect(await assetOf(store, fork.id, 'b.jsonl')).toBe('two');
    // After a reload the chosen file is forgotten, and the run's own copy is used.
    const later = tab();
    const again = await later.service.createRun(staged('a.jsonl'));
    expect(await assetOf(later.store, again.id, 'a.jsonl')).toBe('one');
    await expect(later.service.fork(run.id, 1, staged('c.jsonl'))).rejects.toThrow(/c.jsonl, which is not here/);
    await expect(later.service.createRun(staged(null))).resolves.toBeDefined();
  });

  it('are passed to the engine that opens the run, and exported with it', async () => {
    const seen: (string[] | null)[] = [];
    const { service, engines } = tab();
    const open = engines.open.bind(engines);
    engines.open = (experiment, options) => {
      seen.push(options.assets && Object.keys(options.assets));
      return open(experiment, options);
    };
    await service.keepRecording(play('one'), 'a.jsonl');
    const run = await service.createRun(staged('a.jsonl'));
    await service.train(run.id, { steps: 1 });
    expect(seen[0]).toContain('recording-a.jsonl');
    const file = await service.exportRun(run.id);
    await service.deleteRun(run.id);
    await service.purgeRun(run.id);
    const back = await service.importRun(file, 'back.tabgym');
    await service.train(back.id, { steps: 1 });
    expect(seen.at(-1)).toContain('recording-a.jsonl');
  });

  it('of more than 64 MB are refused before they are read', async () => {
    const large = { size: 65e6, arrayBuffer: () => Promise.reject(new Error('it was read')) } as unknown as Blob;
    await expect(tab().service.keepRecording(large, 'large.jsonl')).rejects.toThrow(
      /65.0 MB; a run keeps at most 64 MB/,
    );
  });
});

describe('two tabs', () => {
  it('the second is read-only; it may take over, and the first stops writing', async () => {
    const locks = new SharedLocks();
    let inStep = () => {};
    const reached = new Promise<void>((resolve) => {
      inStep = resolve;
    });
    const first = tab(locks, async (what, step, _engine, signal) => {
      if (what !== 'step' || step !== 3) return;
      inStep();
      await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const run = await first.service.createRun(micro);
    expect((await first.service.openRun(run.id)).owner).toBe('this-tab');
    const training = first.service.train(run.id);
    await reached;

    const second = tab(locks);
    expect(await second.service.openRun(run.id)).toMatchObject({ owner: 'another-tab', summary: { step: 2 } });
    await expect(second.service.train(run.id)).rejects.toThrow('Another tab has this run. Take it over');
    await expect(second.service.deleteRun(run.id)).rejects.toThrow('Another tab has this run');
    await second.service.takeOver(run.id);
    await training;
    expect(first.events).toContainEqual({ type: 'owner', runId: run.id, owner: 'another-tab' });
    await second.service.train(run.id);
    expect((await second.service.openRun(run.id)).summary.step).toBe(8);
    expect((await first.service.openRun(run.id)).owner).toBe('another-tab');
  });

  it('opening another run releases the one before, unless it trains', async () => {
    const locks = new SharedLocks();
    const [first, second] = [tab(locks), tab(locks)];
    const [a, b] = [await first.service.createRun(micro), await first.service.createRun(micro)];
    await first.service.openRun(a.id);
    await first.service.openRun(b.id);
    expect((await second.service.openRun(a.id)).owner).toBe('this-tab');
    expect((await second.service.openRun(b.id)).owner).toBe('another-tab');
  });
});

describe('opening', () => {
  it('is canceled with the run left to other tabs, and a sweep’s too', async () => {
    const locks = new SharedLocks();
    const [first, second] = [tab(locks), tab(locks)];
    const [run] = await first.service.createSweep({ ...micro, steps: 2, sweep: { seeds: [1, 2], variants: [] } });
    await first.service.trainSweep(run.sweep!.id);
    await first.service.openRun((await first.service.createRun(micro)).id);
    const canceled = { name: 'OpeningCanceledError' };
    await expect(first.service.openRun(run.id, () => false)).rejects.toMatchObject(canceled);
    await expect(first.service.openSweep(run.sweep!.id, () => false)).rejects.toMatchObject(canceled);
    expect((await second.service.openRun(run.id)).owner).toBe('this-tab');
  });
});

describe('sweeps', () => {
  const document = { ...micro, steps: 3, sweep: { seeds: [1, 2], variants: [] } };
  const sweptRecords = async (service: TrainerService, id: string) =>
    (await service.openSweep(id)).runs.map(({ records }) => records.map(withoutTimes));

  it('are created, trained, read, exported and imported', async () => {
    const { service, events } = tab();
    const runs = await service.createSweep(document);
    expect(runs.map(({ sweep }) => sweep!.seed)).toEqual([1, 2]);
    const { id } = runs[0].sweep!;
    expect((await service.openSweep(id)).state).toMatchObject({ status: 'idle', done: 0, total: 6, remainingMs: null });
    const [, opened] = await Promise.all([service.trainSweep(id), service.openRun(runs[1].id)]);
    expect(opened.owner).toBe('this-tab');
    const { state, name } = await service.openSweep(id);
    expect(state).toMatchObject({ status: 'finished', done: 6 });
    expect(name).toBe(micro.name);
    expect(events.filter((event) => event.type === 'status')).toEqual([]);
    const first = await service.importRun(await service.exportSweep(id), 'sweep.tabgym');
    expect(first.sweep!.id).not.toBe(id);
    expect(await sweptRecords(service, first.sweep!.id)).toEqual(await sweptRecords(service, id));
  });

  it('an import reports its progress, and leaves no run behind once it is canceled', async () => {
    const { service } = tab();
    const [{ sweep }] = await service.createSweep(document);
    await service.trainSweep(sweep!.id);
    const file = await service.exportSweep(sweep!.id);
    const before = await service.listRuns();
    for (const share of [0, 0.7, 0.9, 1]) {
      const importing = service.importRun(file, 'sweep.tabgym', null, false, (each) => each < share);
      await expect(importing).rejects.toMatchObject({ name: 'ImportCanceledError' });
      expect(await service.listRuns()).toEqual(before);
    }
    const shares: number[] = [];
    await service.importRun(file, 'sweep.tabgym', null, false, (share) => shares.push(share) > 0);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect([shares[0] < 0.2, shares.at(-1)]).toEqual([true, 1]);
  });

  it('are refused as one run, and if another tab has one of their runs', async () => {
    const locks = new SharedLocks();
    const [a, b] = [tab(locks), tab(locks)];
    await expect(a.service.createRun(document)).rejects.toThrow(/sweep of 2 runs/);
    const [first, second] = await a.service.createSweep(document);
    await b.service.openRun(second.id);
    await expect(a.service.trainSweep(first.sweep!.id)).rejects.toThrow(/Another tab/);
  });

  it('pause when a run is trained by itself, and continue afterwards', async () => {
    let other = '';
    let singleTraining: Promise<void> | undefined;
    const { service } = tab(new SharedLocks(), (what, step) => {
      if (what === 'step' && step === 2) singleTraining ??= service.train(other, { steps: 1 });
    });
    other = (await service.createRun({ ...micro, steps: 3 })).id;
    const [{ sweep }] = await service.createSweep(document);
    await service.trainSweep(sweep!.id);
    await singleTraining;
    expect((await service.openSweep(sweep!.id)).state).toMatchObject({ status: 'paused', done: 3 });
    expect((await service.openRun(other)).summary.step).toBe(1);
    await service.trainSweep(sweep!.id);
    expect((await service.openSweep(sweep!.id)).state).toMatchObject({ status: 'finished', done: 6 });
  });
});
