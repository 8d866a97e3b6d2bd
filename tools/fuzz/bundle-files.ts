/** A small run's file, mutations of it, and the verdict on how each is read. */
import { isDeepStrictEqual } from 'node:util';
import { encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { BundleError, bundleOf } from '../../src/store/bundle.ts';
import { unzip, zip } from '../../src/store/zip.ts';
import { changedValue, generator, withBytesChanged } from './mutations.ts';

const rate = { successes: 3, episodes: 8, rate: 0.375, low: 0.1, high: 0.7 };
const scores = { policy: { mean: 0.5 }, chance: { mean: 0.1 } };
const split = {
  policy: rate,
  chance: rate,
  oracle: null,
  score: 0.5,
  scores,
  strata: { 'depth 1': { policy: rate, chance: rate } },
};
const recordAt = (step: number) => ({
  step,
  stage: 5,
  metrics: { success: step / 10, loss: 0.25, kl: 1e-7 },
  ...(step % 2 ? {} : { evaluation: { train: split, test: split } }),
});

const bytesAt = (seed: number, size: number) =>
  Uint8Array.from({ length: size }, (_, k) => Math.imul(k + seed, 2654435761) >>> 24);

/** File of a made run with four records, two checkpoints and a tokenizer. */
export function madeBundle(): Uint8Array<ArrayBuffer> {
  const meta = (step: number) => ({
    step,
    optimizerStep: step,
    kernelChoices: { k: 'a' },
    batchPlan: {},
    adapter: 'x',
  });
  return bundleOf({
    run: {
      id: 'a1',
      name: 'a run',
      createdAt: 1,
      updatedAt: 2,
      experiment: { seed: 1 },
      step: 3,
      origin: { kind: 'new' },
      success: 0.25,
      deletedUntil: null,
      bytes: 0,
      best: { step: 2, success: 0.25 },
    },
    records: [0, 1, 2, 3].map(recordAt),
    checkpoints: [2, 3].map((step) => ({ meta: meta(step), bytes: bytesAt(step, 600) })),
    assets: {
      'tokenizer.json': new TextEncoder().encode('{"model":{}}'),
      'trajectories/000003.bin': encodeTrajectories([]),
    },
  });
}

export type Verdict = 'refused' | 'equal' | 'otherwise' | 'unnamed';

/** Changes a value in one of the file's JSON parts and packs it again, so that the zip itself is sound. */
function withValueChanged(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const entries = unzip(file);
  const name = ['tabgym.json', 'steps.jsonl', 'experiment.json'][random(3)];
  const lines = new TextDecoder().decode(entries[name]).trim().split('\n');
  const isLines = name === 'steps.jsonl';
  const at = random(lines.length);
  const text = isLines ? lines[at] : lines.join('\n');
  const mutated = JSON.stringify(changedValue(JSON.parse(text), random)) ?? '';
  if (isLines) lines[at] = mutated;
  entries[name] = new TextEncoder().encode(isLines ? `${lines.join('\n')}\n` : mutated);
  if (random(10) === 0) delete entries[Object.keys(entries)[random(Object.keys(entries).length)]];
  return zip(Object.entries(entries).map(([each, bytes]) => ({ name: each, bytes, stored: false })));
}

/** Mutation number `n` of a file. */
export function mutatedBundle(file: Uint8Array, seed: number, n: number): Uint8Array {
  const random = generator(seed * 1_000_003 + n);
  return (n % 2 ? withBytesChanged : withValueChanged)(file, random);
}

/** Reads a mutated file: refused by name, equal to the original in every value, or a fault. */
export function verdictOn(mutated: Uint8Array, original: ReturnType<typeof readRunFile>): Verdict {
  try {
    return isDeepStrictEqual(readRunFile(mutated, 'a'), original) ? 'equal' : 'otherwise';
  } catch (error) {
    return error instanceof BundleError ? 'refused' : 'unnamed';
  }
}
