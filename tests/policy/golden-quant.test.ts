// The recorded cases of quantisation, if available; and the check must disagree with a wrong product.
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkQuantisation, type RunProduct } from '../../tools/golden/quant.ts';
import { quantizedProduct } from '../../tools/golden/quantized-product.ts';
import { GoldenReport } from '../../tools/golden/report.ts';
import { useDevice } from '../device/open.ts';
import { goldenModelDir } from './golden-files.ts';

const gpu = useDevice();
const missing = !existsSync(goldenModelDir);

async function check(run: RunProduct) {
  const failures: string[] = [];
  const report = new GoldenReport((line) => line.startsWith('FAIL') && failures.push(line));
  await checkQuantisation(goldenModelDir, run, report);
  return { report, failures };
}

it.skipIf(missing)('recorded bytes, values and products agree', async () => {
  const device = await gpu();
  const { report, failures } = await check((x, weights) => quantizedProduct(device, x, weights));
  expect(failures).toEqual([]);
  expect(report.total).toBeGreaterThanOrEqual(16);
  expect(report.skipped).toBe(0);
});

it.skipIf(missing)('a product with the scales of neighbours is found wrong', async () => {
  const device = await gpu();
  const { failures } = await check((x, weights) =>
    quantizedProduct(device, x, { ...weights, scales: weights.scales.slice().reverse() }),
  );
  expect(failures.length).toBe(3);
});
