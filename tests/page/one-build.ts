/**
 * A run of the page's tests builds the page once, in a separate folder that is deleted with the run (`harness.ts`
 * builds into it).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/machine.mjs';

export const folderVariable = 'TABGYM_PAGE_BUILDS';

export default function setup(): () => void {
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build/page-tests-'));
  process.env[folderVariable] = folder;
  return () => {
    delete process.env[folderVariable];
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
