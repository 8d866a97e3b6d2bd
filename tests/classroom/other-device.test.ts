// Grading a run of another kind of device: the weights may drift by a share of their change since a kept checkpoint.
import { beforeAll, expect, it } from 'vitest';
import { grade } from '../../src/classroom/grade.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { parametersOf } from '../../src/policy/moments.ts';
import { decodeState, encodeState } from '../../src/session/checkpoint.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import type { BundleIndex } from '../../src/store/bundle-index.ts';
import { classAssignment, classSteps, handedIn } from '../../tools/classroom/class-files.ts';
import { type Parts, partsOf, withNewHashes } from '../../tools/classroom/forgeries.ts';

const assignment = classAssignment();
const engines = nodeEngines({ device: 'wasm', threads: 1 });
let honest: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  honest = await handedIn(assignment, engines, { seed: 100, learningRate: 1e-3 }, 'Ada');
}, 120_000);

const partOf = (step: number) => `checkpoints/${String(step).padStart(6, '0')}.safetensors`;

/**
 * The file as from another kind of device, with the checkpoints of the first and the last step only. The last weights
 * are moved by `share` of their change.
 */
function drifted(share: number): Uint8Array<ArrayBuffer> {
  const checkpoints = readRunFile(honest, 'a').checkpoints!;
  const [first, last] = [0, classSteps].map((step) => checkpoints.find(({ meta }) => meta.step === step)!);
  const [before, after] = [first, last].map(({ bytes, meta }) => decodeState(bytes, meta.optimizerStep));
  for (const [name, { data }] of parametersOf(after.tensors)) {
    const was = before.tensors.get(name)!.data;
    // Every second value moves up, every other down, so that the direction is not that of the training.
    for (let k = 0; k < data.length; k++) data[k] += (k % 2 ? share : -share) * Math.abs(data[k] - was[k]);
  }
  const parts: Parts = { ...partsOf(honest), [partOf(classSteps)]: encodeState(after) };
  const index: BundleIndex = JSON.parse(new TextDecoder().decode(parts['tabgym.json']));
  for (const step of Object.keys(index.checkpoints).map(Number)) {
    if (step !== 0 && step !== classSteps) {
      delete parts[partOf(step)];
      delete index.checkpoints[step];
    } else index.checkpoints[step].adapter = 'another device';
  }
  return withNewHashes({ ...parts, 'tabgym.json': new TextEncoder().encode(JSON.stringify(index)) });
}

const graded = (share: number) =>
  grade(assignment, { file: 'a', bytes: drifted(share) }, { engines, seed: 11, steps: 40, allowCode: false });

it('accepts a drift of 1% of the change, which is more than 2% of the last step', async () => {
  const result = await graded(0.01);
  expect(result).toMatchObject({ status: 'graded', checked: { exact: false, steps: [1, 2, 3, 4, 5, 6, 7, 8] } });
  expect(result.status === 'graded' && result.checked.gaps!.weights).toBeCloseTo(0.01, 4);
}, 60_000);

it('refuses weights that are 4% of the change away', async () => {
  expect(await graded(0.04)).toMatchObject({ status: 'refused', reason: 'weights' });
}, 60_000);
