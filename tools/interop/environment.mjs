// Python environments for checks against other programs. Each is made once, outside the committed files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A requirement is missing on this machine, so a check is skipped. Not a failure; the message states the reason. */
export class Skipped extends Error {
  name = 'Skipped';
}

/** Runs a command and returns its output. Throws Skipped if it fails, with its last line. */
export function command(program, args, what = `${program} ${args.join(' ')}`) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new Skipped(`${what} failed: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? ''}`);
  return stdout;
}

/** Waits for the address that a server prints when it listens. Returns it with all that was printed before. */
export async function addressOf(server) {
  let output = '';
  for await (const chunk of server.stdout) {
    output += chunk;
    const address = /^listening on ([^\s,]+)/m.exec(output)?.[1];
    if (address) return { address, output };
  }
  throw new Error(`The server ended before it listened:\n${output}`);
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

/** Path of the Python of an environment in `folder` that has these packages. A completed installation is reused. */
export function pythonWith(packages, folder) {
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  // Written last, so that an interrupted installation continues. Other packages need a new installation.
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
