import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { checkQuantisation } from '../../src/cli/golden-quant.ts';
import { GoldenReport } from '../../src/cli/golden-report.ts';
import { dequantizeRows } from '../../src/policy/quantize.ts';

const dir = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'model');
it.skipIf(!existsSync(dir))('x', async () => {
  const report = new GoldenReport();
  await checkQuantisation(
    dir,
    async (x, w) => {
      const v = dequantizeRows(w);
      const K = w.row.length;
      const M = x.length / K;
      const N = w.rows;
      const out = new Float32Array(M * N);
      for (let m = 0; m < M; m++)
        for (let n = 0; n < N; n++) {
          let s = 0;
          for (let k = 0; k < K; k++) s += x[m * K + k] * v[n * K + k];
          out[m * N + n] = s;
        }
      return out;
    },
    report,
  );
  report.close();
  expect(report.ok).toBe(true);
});
