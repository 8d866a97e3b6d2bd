// A training that an error stops is told apart from one that a person stops: its command ends with 1.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { sweep } from '../../src/cli/sweep-folder.ts';
import { train } from '../../src/cli/training-run.ts';
import { FolderStore } from '../../src/store/folder.ts';

const { change } = FolderStore.prototype;
const mend = () => {
  FolderStore.prototype.change = change;
};
const folder = mkdtempSync(join(tmpdir(), 'tabgym-failed-'));
beforeAll(() => buildWasm());
// Other files of this process share the store's class.
afterEach(mend);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Settings of a training whose disk is full between the first step and the error that follows. */
function settings(name: string, isFull: boolean) {
  const print = (line: string) => {
    if (isFull && /step 1\//.test(line))
      FolderStore.prototype.change = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    if (line.startsWith('error: ')) mend();
  };
  const out = join(folder, name);
  return { file: 'experiments/micro.json', steps: 3, out, device: 'wasm' as const, threads: 1, print };
}

it.each([false, true])('says whether an error stopped it: %s', async (isFull) => {
  const finished = !isFull;
  const error = isFull ? expect.stringContaining('no space') : null;
  expect(await train(settings(`run-${isFull}`, isFull))).toMatchObject({ finished, error });
  const swept = sweep({ ...settings(`sweep-${isFull}`, isFull), seeds: [1] });
  // A sweep of which all runs fail throws their reason.
  if (isFull) await expect(swept).rejects.toThrow('no space');
  else expect(await swept).toEqual({ finished, failed: isFull });
});
