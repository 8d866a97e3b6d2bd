// Every form of the matmuls in a whole model: the same numbers up to rounding, exactly repeatable, and chosen by
// measurement.
import { describe, expect, it } from 'vitest';
import {
  defaultChoices,
  type KernelChoices,
  type MatmulForm,
  parseChoices,
} from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { selfTest } from '../../src/policy/selftest/selftest.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useGpu } from '../device/open.ts';
import { smallConfig } from './small-model.ts';

const open = useGpu();
const config = smallConfig({ vocab_size: 40 });
const T = 90;
const capacity = { rows: 4, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: T, batchScored: T };
const weights = initWeights(config, { seed: 2, std: 0.3 });
const all = (form: MatmulForm): KernelChoices => ({
  ...defaultChoices,
  matmul_nt_few: form,
  matmul_nt_many: form,
  matmul_nn_many: form,
  matmul_tn_many: form === 'rows4' ? 'rows16' : form,
  attention_few: form === 'tiled' ? 'tiled' : 'thread',
  attention_many: form === 'tiled' ? 'tiled' : 'thread',
});

/** Enough rows for the forms meant for many rows. */
const batch: PackedBatch = {
  tokens: Int32Array.from({ length: T }, (_, t) => (t * 7 + 3) % config.vocabSize),
  segments: [
    { start: 0, end: 75, parent: -1 },
    { start: 75, end: T, parent: -1 },
  ],
  scored: Int32Array.from({ length: 74 }, (_, n) => n + 1),
  allowed: null,
};

async function results(choices: KernelChoices) {
  const model = inspected(
    await Model.create(await open(), config, {
      capacity,
      weights,
      trainable: true,
      reference: false,
      choices,
    }),
  );
  try {
    await begin(model, [{ prompt: batch.tokens.slice(0, 5), slots: [0, 1], rowKeys: [0, 1] }]);
    const sampling = { temperature: 0, seed: 1, stream: 0, maxTokens: 4, stopTokens: [] };
    const turns = await wholeTurns(
      model,
      [0, 1].map((slot) => ({ slot, append: Int32Array.of(4), constraint: null })),
      sampling,
    );
    const { logprob } = await model.score(batch, { temperature: 1, weights: 'policy' });
    const N = batch.scored.length;
    const gradients = await model.gradients(batch, normals(N, 1, 'w', 1), normals(N, 1, 'e', 0.1));
    const kernels = new Set(model.recorder.perKernel.keys());
    return { turns, logprob, gradients, kernels };
  } finally {
    model.destroy();
  }
}

describe('forms of the matmuls', () => {
  // A software adapter compiles all forms for a minute, and for several on a busy machine.
  it('agree with each other, run when chosen, and repeat their bits', { tags: 'slow', timeout: 600_000 }, async () => {
    const registers = await results(defaultChoices);
    expect([...registers.kernels]).toContain('matmul_tn');
    expect([...registers.kernels].filter((name) => name.endsWith('_tiled'))).toEqual([]);
    const tiled = await results(all('tiled'));
    expect([...tiled.kernels].filter((name) => name.startsWith('matmul')).sort()).toEqual([
      'matmul_nn_tiled',
      'matmul_nt_tiled',
      'matmul_tn_tiled',
    ]);
    const blocks = await results(all('blocks'));
    expect([...blocks.kernels].filter((name) => name.startsWith('matmul')).sort()).toEqual([
      'matmul_nn_blocks',
      'matmul_nt_blocks',
      'matmul_tn_blocks',
    ]);
    for (const other of [tiled, blocks, await results(all('rows4'))]) {
      expect(other.turns.map((turn) => [...turn.tokens])).toEqual(registers.turns.map((turn) => [...turn.tokens]));
      other.logprob.forEach((x, i) => expect(Math.abs(x - registers.logprob[i])).toBeLessThan(2e-5));
      for (const [name, { data }] of registers.gradients) {
        const scale = data.reduce((a, x) => Math.max(a, Math.abs(x)), 1e-6);
        const got = other.gradients.get(name)!.data;
        expect(data.reduce((a, x, i) => Math.max(a, Math.abs(x - got[i])), 0) / scale, name).toBeLessThan(5e-5);
      }
    }
    const again = await results(all('tiled'));
    expect(again.gradients).toEqual(tiled.gradients);
    expect(again.logprob).toEqual(tiled.logprob);
    expect((await selfTest(await open())).filter(({ ok }) => !ok)).toEqual([]);
  });

  it('are read from a checkpoint as far as they are known', () => {
    expect(parseChoices({})).toEqual(defaultChoices);
    expect(parseChoices({ matmul_nn_many: 'tiled', matmul_nt_few: 'of another version', more: 1 })).toEqual({
      ...defaultChoices,
      matmul_nn_many: 'tiled',
    });
    expect(parseChoices(all('rows4'))).toEqual(all('rows4'));
  });
});
