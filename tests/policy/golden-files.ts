/** Location of the golden data, and readers for the tests. A test whose data is missing is skipped with a notice. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Checkpoint, loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { readSafetensors, type Tensor } from '../../src/policy/formats/safetensors.ts';

export const goldenModelDir = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'model');
export const hasGolden = existsSync(goldenModelDir);

export const goldenTensors = (...path: string[]): Map<string, Tensor> =>
  readSafetensors(readFileSync(join(goldenModelDir, ...path)));

export const goldenCheckpoint = (name: string, config = 'config.json'): Checkpoint =>
  loadCheckpoint({
    config: readFileSync(join(goldenModelDir, name, config), 'utf8'),
    model: readFileSync(join(goldenModelDir, name, 'model.safetensors')),
  });
