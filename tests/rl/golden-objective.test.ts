// The objective's shader on the inputs of the golden losses: it must agree with the recorded gradients, not only with
// its twin.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clippedObjective } from '../../src/rl/objective/clipped.ts';
import { relativeError, tolerance } from '../../tools/golden/checker.ts';
import { loadObjectiveCases } from '../../tools/golden/losses.ts';
import { useGpu } from '../device/open.ts';
import { objectiveOnGpu } from '../policy/run-objective.ts';

const golden = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'model');
const present = existsSync(golden);
const gpu = useGpu();

describe.skipIf(!present)('the clipped objective on the GPU, on golden inputs', () => {
  for (const one of present ? loadObjectiveCases(golden) : []) {
    it(one.name, async () => {
      const got = await objectiveOnGpu(await gpu(), clippedObjective, one);
      expect(relativeError(got.weight, one.golden.weight)).toBeLessThan(tolerance);
      expect(relativeError(got.seed, one.golden.weight)).toBeLessThan(tolerance);
      const loss = got.loss.reduce((sum, value) => sum + value, 0);
      expect(relativeError([loss], [one.golden.loss])).toBeLessThan(tolerance);
      expect(relativeError(got.loss, one.expected.loss)).toBeLessThan(tolerance);
    });
  }
});
