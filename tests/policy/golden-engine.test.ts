// The golden program with the real engine on small cases of our own; `npm run test:golden` does the same with recorded
// ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { checkModels } from '../../tools/golden/model.ts';
import { GoldenReport } from '../../tools/golden/report.ts';
import { useDevice } from '../device/open.ts';
import { fixtureConfigs, writeFixture } from './golden-fixture.ts';

const gpu = useDevice();
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-golden-engine-'));
  for (const [name, config] of Object.entries(fixtureConfigs))
    await writeFixture(join(folder, name), parseConfig(config), 23);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(Object.keys(fixtureConfigs))('the engine agrees with the recorded numbers of %s', async (name) => {
  const failures: string[] = [];
  const report = new GoldenReport((line) => line.startsWith('FAIL') && failures.push(line));
  const device = await gpu();
  await checkModels(
    folder,
    (config, weights, capacity, adapter) =>
      Model.create(device, config, { capacity, weights, adapter, trainable: true, reference: false }).then(inspected),
    report,
    [name],
  );
  expect(failures).toEqual([]);
  expect(report.total).toBeGreaterThan(80);
  expect(report.skipped).toBe(0);
});
