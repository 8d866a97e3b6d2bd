// Environments of Python for checks against other people's programs: each made once, outside what is committed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What cannot be had here: no fault of ours. Its message says why. */
export class Skipped extends Error {
  name = 'Skipped';
}

/** Runs a command and gives what it printed; Skipped where it fails, by its last line or `what`. */
export function command(program, args, what = `${program} ${args.join(' ')}`) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new Skipped(`${what} failed: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? ''}`);
  return stdout;
}

function findPython() {
  for (const name of ['python3', 'python']) {
    const { stdout, status } = spawnSync(name, ['-c', 'import sys; print(sys.version_info >= (3, 10))'], {
      encoding: 'utf8',
    });
    if (status === 0 && stdout.trim() === 'True') return name;
  }
  throw new Skipped('there is no Python 3.10 or later');
}

/** The Python of an environment in `folder` that has these packages. What was installed whole is not installed again. */
export function pythonWith(packages, folder) {
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  // Written last: an installation that was cut is gone on with, and other packages are another installation.
  const mark = join(folder, '.whole');
  const wanted = packages.join('\n');
  if (existsSync(python) && existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python;
  mkdirSync(dirname(folder), { recursive: true });
  if (!existsSync(python)) command(findPython(), ['-m', 'venv', folder], 'making an environment of Python');
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  command(python, install, `installing ${packages.join(', ')}`);
  writeFileSync(mark, wanted);
  return python;
}
