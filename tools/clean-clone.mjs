// A clean clone of the last commit, in a new temporary folder, for tools that change a copy of the project.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/machine.mjs';

/** Clones into a folder whose name begins with `prefix`, with this checkout's dependencies. Returns the folder. */
export function cleanClone(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  execFileSync('git', ['clone', '--quiet', root, folder], { stdio: 'inherit' });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // .gitignore names the folder; its pattern does not match a link.
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  // Compiled worlds and kernels are compiled again only if a source of theirs is newer, so the kernels' tables come
  // first.
  for (const built of ['build/kernels', 'build/wasm'].filter((path) => existsSync(join(root, path))))
    cpSync(join(root, built), join(folder, built), { recursive: true });
  return folder;
}
