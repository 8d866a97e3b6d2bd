// The dense head on given logits compared with its double-precision twin: vocabularies that no tile divides, extreme
// rows, and temperatures other than 1.
import { describe, expect, it } from 'vitest';
import { normals } from '../../src/policy/weights/init.ts';
import { headOnLogits } from '../../tools/golden/head-on-logits.ts';
import { useDevice } from '../device/open.ts';
import { headRow } from './reference.ts';

const gpu = useDevice();

/** Rows 1, 2 and 3 are extreme: spread out, far above and far below zero. */
function extremeLogits(rows: number, V: number): Float32Array {
  const logits = normals(rows * V, 9, 'logits', 3);
  for (let v = 0; v < V; v++) {
    logits[V + v] *= 8;
    logits[2 * V + v] += 200;
    logits[3 * V + v] -= 300;
  }
  return logits;
}

describe.each([
  [5, 3],
  [7, 257],
  [4, 2051],
  [6, 5000],
])('%i rows over a vocabulary of %i', (rows, V) => {
  it.each([1, 0.6, 2.5])('at temperature %f', async (temperature) => {
    const logits = extremeLogits(rows, V);
    const tokens = Int32Array.from({ length: rows }, (_, n) => (n * 7919) % V);
    const weight = normals(rows, 1, 'weight', 1);
    const entropyWeight = normals(rows, 1, 'entropy', 0.3);
    const got = await headOnLogits(await gpu(), { logits, tokens, weight, entropyWeight, temperature });
    const everything = Array.from({ length: V }, (_, v) => v);
    for (let n = 0; n < rows; n++) {
      const row = Float64Array.from(logits.subarray(n * V, (n + 1) * V));
      const expected = headRow(row, tokens[n], everything, temperature);
      // f32 represents a logit of 300 / 0.6 to 3e-5.
      const size = Math.max(1, ...row.map((x) => Math.abs(x) / temperature));
      expect(Math.abs(got.logprob[n] - expected.logprob)).toBeLessThan(4e-7 * size + 1e-5);
      expect(Math.abs(got.lse[n] - expected.lse)).toBeLessThan(4e-7 * size + 1e-6);
      expect(Math.abs(got.entropy[n] - expected.entropy)).toBeLessThan(2e-6 * size + 1e-5);
      for (const [v, p] of expected.probabilities) {
        const surprise = p > 0 ? Math.log(p) + expected.entropy : 0;
        const slope = weight[n] * ((v === tokens[n] ? 1 : 0) - p) - entropyWeight[n] * p * surprise;
        expect(Math.abs(got.dlogits[n * V + v] - slope / temperature)).toBeLessThan((4e-7 * size + 4e-6) / temperature);
      }
    }
  });
});
