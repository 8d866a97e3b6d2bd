// The store on a browser's own IndexedDB, whose transactions end by themselves: a run is exported while it is trained.
import { expect, it } from 'vitest';
import { exportRun, readRun } from '../../src/store/bundle.ts';
import { IndexedDbStore } from '../../src/store/indexeddb.ts';
import { RunStore } from '../../src/store/run-store.ts';

it('a run is exported during training as one commit left it', async () => {
  const store = new RunStore(new IndexedDbStore(crypto.randomUUID()));
  const { id } = await store.create({ name: 'a run', experiment: {}, origin: { kind: 'new' } });
  await store.claim(id, 'me');
  const files: Promise<Uint8Array>[] = [];
  for (let step = 0; step <= 12; step++) {
    const meta = { step, optimizerStep: step, kernelChoices: {}, batchPlan: {}, adapter: '' };
    const bytes = new Uint8Array(100_000).fill(step);
    await store.commit(id, 'me', { record: { step }, checkpoint: { meta, bytes }, trajectories: bytes });
    files.push(exportRun(store, id, { checkpoints: 'all' }));
  }
  for (const file of await Promise.all(files)) {
    const { step, records, checkpoints } = readRun(file, 'a.tabgym');
    expect(records?.length).toBe(step! + 1);
    expect(checkpoints?.at(-1)?.meta.step).toBe(step);
    expect(checkpoints?.at(-1)?.bytes[0]).toBe(step);
  }
  await store.close();
});
