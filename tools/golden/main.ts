/**
 * `npm run test:golden [-- CASE...] [--device wasm]`: checks the engine and the objectives against numbers that the
 * original implementations produced. Reads `$TABGYM_GOLDEN/model` (default ../shared/golden), prints what it compared
 * and what it skipped with the reason, and exits non-zero on any disagreement.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { type DeviceOptions, describeDevice, deviceOptions, openDevice } from '../../src/cli/node-device.ts';
import type { Device } from '../../src/device/device.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { OpenPolicy } from './case.ts';
import { checkHeads } from './head.ts';
import { headOnLogits } from './head-on-logits.ts';
import { inspected } from './inspected-model.ts';
import { checkLosses } from './losses.ts';
import { checkModels } from './model.ts';
import { checkQuantisation, isQuantCase } from './quant.ts';
import { quantizedProduct } from './quantized-product.ts';
import { GoldenReport } from './report.ts';
import { checkSelection } from './sequences.ts';

/** Checks the recorded kinds that have files of their own (selections), and reports unknown files. */
function checkOthers(goldenDir: string, report: GoldenReport) {
  for (const file of readdirSync(goldenDir).filter((name) => name.endsWith('.json') && !name.startsWith('loss_'))) {
    const name = file.slice(0, -'.json'.length);
    if (name.startsWith('select_')) checkSelection(goldenDir, name, report);
    else if (!isQuantCase(goldenDir, name)) report.skip('unknown-file', name, 'unknown kind of file');
  }
}

/** Opens a policy that fails the run if buffers remain after it is closed. */
function openOn(gpu: Device, report: GoldenReport): OpenPolicy {
  return async (config, weights, capacity, adapter) => {
    const before = gpu.liveBuffers;
    const model = inspected(
      await Model.create(gpu, config, { capacity, weights, adapter, trainable: true, reference: false }),
    );
    const destroy = model.destroy.bind(model);
    model.destroy = () => {
      destroy();
      if (gpu.liveBuffers !== before)
        report.fail(
          'model',
          config.modelType,
          `${gpu.liveBuffers - before} GPU buffers remain after the policy was closed`,
        );
    };
    return model;
  };
}

async function main(only: readonly string[], options: DeviceOptions) {
  const goldenDir = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'model');
  const report = new GoldenReport();
  if (!existsSync(goldenDir)) {
    report.skip('everything', goldenDir, 'this folder is missing; set TABGYM_GOLDEN to the folder of golden data');
    report.close();
    return true;
  }
  const gpu = await openDevice(options);
  console.log(`adapter: ${gpu.info.vendor} ${describeDevice(gpu)}`);
  await checkModels(goldenDir, openOn(gpu, report), report, only);
  await checkHeads(goldenDir, (input) => headOnLogits(gpu, input), report, only);
  await checkQuantisation(goldenDir, (x, weights) => quantizedProduct(gpu, x, weights), report, only);
  if (!only.length) {
    await checkLosses(goldenDir, report.check, report.skip);
    checkOthers(goldenDir, report);
  }
  // Comparing nothing must not pass, as with a mistyped name or an empty folder.
  if (!report.total && !report.skipped)
    report.fail('case', only.join(', ') || 'any', `no case of that name in ${goldenDir}`);
  try {
    gpu.check();
  } catch (error) {
    report.fail('gpu', gpu.info.description, (error as Error).message);
  }
  gpu.destroy();
  report.close();
  return report.ok;
}

const program = new Command('golden').argument('[cases...]', 'only these cases');
for (const option of deviceOptions('webgpu')) program.addOption(option);
program.parse();
process.exit((await main(program.args, program.opts())) ? 0 : 1);
