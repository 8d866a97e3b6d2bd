// Evaluations of runs, with stand-in engines: stored with the run, stopped and resumed, refused with a message.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { capacityOf } from '../../src/experiment/sizes.ts';
import type { ItemResult } from '../../src/rl/evaluation/suite-results.ts';
import type { Engine, OpenOptions } from '../../src/session/engine.ts';
import { Evaluations } from '../../src/session/evaluation/evaluations.ts';
import type { SuiteRequest } from '../../src/session/evaluation-protocol.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { exportRun, readRun } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { allSuites } from '../../src/worlds/suites.ts';
import { FakeEngines } from './fakes.ts';

const micro = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps: 4 });
const { suite } = allSuites()[0];
const request: SuiteRequest = { suite: suite.name, samples: 2, greedy: false, temperature: 1, seed: 1, turns: [] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-evaluations-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const item = (i: number): ItemResult => ({
  key: `item ${i}`,
  column: suite.columns[0],
  tries: [{ success: i % 2 === 0, score: 1, turns: 1 }],
  chance: [{ success: false, score: 0, turns: 1 }],
  oracle: null,
});

/** Engines that play one item at a time and call `hook` before each. */
class PlayingEngines extends FakeEngines {
  played: number[] = [];
  constructor(readonly before: (i: number, signal: AbortSignal) => Promise<void> | void = () => {}) {
    super();
  }
  override async open(...args: [typeof micro, OpenOptions]) {
    const engine = await super.open(...args);
    const play: NonNullable<Engine['suite']> = async (_suite, _sampling, { kept = [], onItems, signal }) => {
      const items = [...kept];
      for (let i = items.length; i < 6; i++) {
        await this.before(i, signal);
        signal.throwIfAborted();
        this.played.push(i);
        items.push(item(i));
        await onItems?.(items);
      }
      return items;
    };
    return Object.assign(engine, { suite: play });
  }
}

async function trained(experiment = micro) {
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'run', experiment, origin: { kind: 'new' } });
  const session = new Session(id, experiment, { store, engines: new FakeEngines(), emit: () => {} });
  await session.train();
  await session.close();
  return { store, id };
}

const evaluationsOn = (store: RunStore, engines: PlayingEngines) =>
  new Evaluations({ store, engines, emit: () => {}, freeDevice: async () => {} });

it('store one report for each suite and step with the run, and in its file', async () => {
  const { store, id } = await trained();
  const evaluations = evaluationsOn(store, new PlayingEngines());
  const last = await evaluations.evaluate(id, request, null);
  expect(last.step).toBe(4);
  expect(last.report).toMatchObject({ policy: 'run, step 4', rows: [{ items: 6 }, { label: 'All', items: 6 }] });
  await evaluations.evaluate(id, request, 0);
  await evaluations.evaluate(id, { ...request, seed: 2 }, 0);
  const { kept, cut } = await evaluations.of(id);
  expect(kept.map(({ step, request: asked }) => [step, asked.seed])).toEqual([
    [4, 1],
    [0, 2],
  ]);
  expect(cut).toBeNull();
  const file = readRun(await exportRun(store, id), 'a.tabgym');
  expect(Object.keys(file.assets!).filter((name) => name.startsWith('evaluation-'))).toHaveLength(2);
});

it('play fewer episodes at once if they may be longer, so that they need no more memory', async () => {
  const wide = parseExperiment({ ...micro, algorithm: { ...micro.algorithm, groups: 16 } });
  const { store, id } = await trained(wide);
  const engines = new PlayingEngines();
  const opened: (typeof micro)[] = [];
  const { open } = engines;
  engines.open = (...args) => {
    opened.push(args[0]);
    return open.apply(engines, args);
  };
  const { completionTokens } = wide.sampling;
  await evaluationsOn(store, engines).evaluate(id, request, 0);
  await evaluationsOn(store, engines).evaluate(id, { ...request, seed: 2, completionTokens: 4 * completionTokens }, 0);
  const [own, longer] = opened.map((each) => {
    const { rows, promptTokens, completionTokens } = capacityOf(each);
    return { rows, tokens: rows * (promptTokens + completionTokens) };
  });
  expect(own.rows).toBe(capacityOf(wide).rows);
  expect(longer.rows).toBeLessThan(own.rows);
  expect(longer.tokens).toBeLessThanOrEqual(own.tokens);
});

it('stop, report what is kept, and resume only for the same request', async () => {
  const { store, id } = await trained();
  const engines = new PlayingEngines((i) => {
    if (i === 4) void evaluations.cancel();
  });
  const evaluations = evaluationsOn(store, engines);
  await expect(evaluations.evaluate(id, request, null)).rejects.toThrow(/was stopped. Its finished items are kept/);
  expect((await evaluations.of(id)).cut).toEqual({ step: 4, request, items: 4 });
  const again = new PlayingEngines();
  const report = await evaluationsOn(store, again).evaluate(id, request, null);
  expect(again.played).toEqual([4, 5]);
  const whole = await evaluationsOn(store, new PlayingEngines()).evaluate(id, request, null);
  expect(report).toEqual(whole);
});

it('report the time left', async () => {
  const { store, id } = await trained();
  const engines = new PlayingEngines();
  const seen: (number | null | undefined)[] = [];
  const emit = (event: SessionEvent) => {
    if (event.type === 'evaluation' && event.progress) seen.push(event.progress.remainingMs);
  };
  const now = vi.spyOn(Date, 'now').mockReturnValue(0);
  const open = engines.open.bind(engines);
  engines.open = async (...args) => {
    const engine = await open(...args);
    const suite: NonNullable<Engine['suite']> = async (_suite, _sampling, { onProgress }) => {
      for (const done of [0, 1, 2]) {
        now.mockReturnValue(10_000 * done);
        onProgress?.({ what: 'episodes', done, total: 4, unit: 'episodes' });
      }
      return [item(0)];
    };
    return Object.assign(engine, { suite });
  };
  try {
    await new Evaluations({ store, engines, emit, freeDevice: async () => {} }).evaluate(id, request, null);
  } finally {
    now.mockRestore();
  }
  expect(seen.filter((ms) => ms !== undefined).slice(-3)).toEqual([null, 30_000, 20_000]);
});

it('start over for another request', async () => {
  const { store, id } = await trained();
  const engines = new PlayingEngines((i) => {
    if (i === 4) throw new Error('gone');
  });
  await expect(evaluationsOn(store, engines).evaluate(id, request, null)).rejects.toThrow('gone');
  const other = new PlayingEngines();
  await evaluationsOn(store, other).evaluate(id, { ...request, seed: 9 }, null);
  expect(other.played).toEqual([0, 1, 2, 3, 4, 5]);
});

it('refuse an unknown suite, step or run', async () => {
  const { store, id } = await trained();
  const evaluations = evaluationsOn(store, new PlayingEngines());
  await expect(evaluations.evaluate(id, { ...request, suite: 'x' }, null)).rejects.toThrow(
    /no suite "x". Choose one of/,
  );
  await expect(evaluations.evaluate(id, request, 99)).rejects.toThrow(/Step 99 has no checkpoint. These have one: 0, /);
  const fresh = await store.create({ name: 'fresh', experiment: micro, origin: { kind: 'new' } });
  await expect(evaluations.evaluate(fresh.id, request, null)).rejects.toThrow(/no checkpoint yet/);
});
