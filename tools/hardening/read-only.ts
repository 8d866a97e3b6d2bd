/** Commands that write into a folder where they may not: each ends with one line that names the place. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './outcome.ts';

/** A user without rights; root may write everywhere. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

const micro = ['experiments/micro.json', '--steps', '1', '--device', 'wasm', '--threads', '1'];

const sizes = { layers: 1, hidden: 64, intermediate: 64, heads: 2, 'kv-heads': 1, 'head-dim': 32, vocab: 300 };
const smallModel = ['qwen2.5-0.5b', ...Object.entries(sizes).flatMap(([name, size]) => [`--${name}`, String(size)])];

function ran(tool: string, args: readonly string[]) {
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  return spawnSync(process.execPath, [`build/cli/${tool}.js`, ...args], { encoding: 'utf8', ...user });
}

/** Makes a folder read-only, or writable again, with all that is in it. */
function protect(folder: string, isProtected: boolean): void {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const folders = [folder, ...all.filter((each) => each.isDirectory()).map((each) => join(each.parentPath, each.name))];
  for (const each of folders) chmodSync(each, isProtected ? 0o555 : 0o755);
}

/** Commands, each with the folder that it must name. */
function commands(folder: string, run: string): [tool: string, args: string[], names: string][] {
  const file = join(run, 'run.tabgym');
  return [
    ['train', [...micro, '--out', join(folder, 'new')], folder],
    ['train', ['experiments/micro.json', '--steps', '2', '--device', 'wasm', '--threads', '1', '--out', run], run],
    ['report', [file, '--out', join(folder, 'a.html')], folder],
    ['handoff', [file, '--to', 'trl', '--out', join(folder, 'trl')], folder],
    ['export', [file, '--format', 'hf', '--out', join(folder, 'hf')], folder],
    ['make-model', [...smallModel, '--out', join(folder, 'model')], folder],
  ];
}

const isOneLine = (text: string) => text.trim().split('\n').length === 1 && !/^\s+at /m.test(text);

/** Tries each command `times` times. A command that ends well, prints a stack or does not name the place is wrong. */
export async function readOnlyFolders(times: number): Promise<Outcome> {
  const place = mkdtempSync(join(tmpdir(), 'tabgym-read-only-'));
  const [folder, made, run] = ['empty', 'made', 'run'].map((name) => join(place, name));
  chmodSync(place, 0o755);
  mkdirSync(folder);
  mkdirSync(made, { mode: 0o777 });
  chmodSync(made, 0o777);
  const first = ran('train', [...micro, '--out', made]);
  if (first.status !== 0) throw new Error(first.stderr);
  cpSync(made, run, { recursive: true });
  if (isRoot) for (const each of [folder, run]) chownSync(each, nobody, nobody);
  for (const each of [folder, run]) protect(each, true);
  let [tried, accepted] = [0, 0];
  const all = commands(folder, run);
  for (; tried < times; tried++) {
    const [tool, args, names] = all[tried % all.length];
    const { status, stderr } = ran(tool, args);
    if (status !== 0 && stderr.includes(names) && isOneLine(stderr)) continue;
    accepted++;
    console.log(`${tool} ended with ${status}: ${stderr}`);
  }
  for (const each of [folder, run]) protect(each, false);
  rmSync(place, { recursive: true, force: true });
  return { what: `command that writes into a read-only folder (${all.length} commands)`, tried, lost: 0, accepted };
}
