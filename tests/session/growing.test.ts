// A fork with more layers: it generates the same text as its parent, learns in the new layers, and continues like any
// run.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { hasMoments } from '../../src/policy/moments.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { forkRun } from '../../src/session/service/fork.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { trainOn } from './wasm-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-growing-'));
const store = new RunStore(new FolderStore(folder));
const document = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
// One update a step, so that the metrics of a step are those of the policy before the update.
const algorithm = { ...document.algorithm, minibatches: 1, innerEpochs: 1 };
const micro = parseExperiment({ ...document, steps: 6, algorithm });
const deep = (layers: number): Experiment => parseExperiment({ ...micro, policy: { ...micro.policy, layers } });

const train = (id: string, steps: number) => trainOn(store, id, steps);

const tensorsOf = async (id: string) => decodeState((await store.checkpoint(id))!.bytes, 0).tensors;
const layersOf = async (id: string) =>
  JSON.parse(new TextDecoder().decode((await store.asset(id, 'config.json'))!)).num_hidden_layers;

let parent = '';
beforeAll(async () => {
  await buildWasm();
  parent = (await store.create({ name: 'shallow', experiment: micro, origin: { kind: 'new' } })).id;
  await train(parent, 3);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a fork with more layers', () => {
  it('plays the same episodes as its parent, at the same distance from the reference, and learns in all its layers', async () => {
    const [same, deeper] = [await forkRun(store, parent, 3, micro), await forkRun(store, parent, 3, deep(3))];
    const grown = await tensorsOf(deeper);
    for (const [name, { data }] of await tensorsOf(parent))
      if (!name.startsWith('exp_avg')) expect([name, grown.get(name)?.data]).toEqual([name, data]);
    expect(hasMoments(grown)).toBe(false);
    expect(await layersOf(deeper)).toBe(3);
    const [one, other] = [await train(same, 1), await train(deeper, 1)].map((records) => records.at(-1)!.metrics);
    for (const metric of ['success', 'score', 'entropy', 'kl', 'tokensGenerated', 'turns'])
      expect([metric, other[metric]]).toEqual([metric, one[metric]]);
    // Both sample from the policy before the update; the gradient covers more layers.
    expect(other.gradNorm).toBeGreaterThan(one.gradNorm);
    const learnt = await tensorsOf(deeper);
    for (const layer of [1, 2])
      for (const write of ['self_attn.o_proj', 'mlp.down_proj'])
        expect((learnt.get(`model.layers.${layer}.${write}.weight`)!.data as Float32Array).some(Boolean)).toBe(true);
    expect(hasMoments(learnt)).toBe(true);
    // The grown run behaves like any other: a fork of it repeats its step.
    const again = await forkRun(store, deeper, 4, deep(3));
    const [first, second] = [await train(deeper, 1), await train(again, 1)].map((records) => records.at(-1)!.metrics);
    expect(second.gradNorm).toBe(first.gradNorm);
  });

  it('is refused if it has fewer layers or is also wider', async () => {
    const grown = await forkRun(store, parent, 3, deep(2));
    await expect(forkRun(store, grown, 3, micro)).rejects.toThrow(/policy\.layers: can grow within a run, not shrink/);
    const wider = { ...deep(2), policy: { ...deep(2).policy, hidden: 64 } } as Experiment;
    await expect(forkRun(store, parent, 3, wider)).rejects.toThrow(/policy\.hidden: cannot change within a run/);
  });
});
