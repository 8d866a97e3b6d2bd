// Pausing a run while its language model is loading: pieces that have arrived are kept, the run stays unchanged, and it
// can be resumed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import textcraftFirst from '../../experiments/textcraft-first.json';
import { makeModel } from '../../src/cli/random-model.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { withLanguageModel } from '../../src/models/draft.ts';
import { ModelLibrary } from '../../src/models/library.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { Session } from '../../src/session/run/session.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';
import { FakeEngines } from './fakes.ts';
import { ModelServer } from './model-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-pausing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('pausing keeps the pieces that have arrived', async () => {
  const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 600 };
  await makeModel(findModel('qwen2.5-0.5b'), {
    out: join(folder, 'models/test/small'),
    seed: 7,
    dtype: 'f32',
    overrides,
  });
  const server = await ModelServer.open(join(folder, 'models'));
  const library = () => new ModelLibrary(new WeightsCache(new NodeDisk(join(folder, 'cache'))));
  const models = library();
  const place = { kind: 'hub', id: 'test/small', base: server.base } as const;
  const card = await models.findModel({ place, precision: 'int8' }, 2 ** 27);
  const experiment = { ...withLanguageModel(parseExperiment(textcraftFirst), card.key, 'int8'), steps: 1 };

  let arrived = 0;
  const engines = new FakeEngines(async (what, _step, _engine, signal) => {
    if (what !== 'open') return;
    const { pieces } = await models.open(card.key, 'int8');
    for await (const _ of pieces({ signal })) if (++arrived === 4) void session.pause();
  });
  const store = new RunStore(new FolderStore(join(folder, 'runs')));
  const { id } = await store.create({ name: 'run', experiment, origin: { kind: 'new' } });
  const session = new Session(id, experiment, { store, engines, emit: () => {}, sleep: async () => {} });
  await session.train();
  expect(session.status).toBe('paused');
  expect(engines.engines).toEqual([]);
  expect((await store.get(id)).step).toBe(0);
  const { remainingBytes, totalBytes } = await library().findModel({ place, precision: 'int8' }, 2 ** 27);
  expect(remainingBytes).toBeGreaterThan(0);
  expect(remainingBytes).toBeLessThan(totalBytes);
  server.reset();
  await session.train();
  expect(session.status).toBe('finished');
  // The download resumed; it did not start over.
  expect(server.sent).toBeLessThanOrEqual(remainingBytes);
  await server.close();
});
