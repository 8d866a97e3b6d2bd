// `npm run test:python [-- PYTEST'S ARGUMENTS]`: the tests of the Python package in python/, against a server of these
// sources. No other check needs Python; without it, or without its packages, this prints the commands that install them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './machine.mjs';
import { buildCli } from './run.mjs';

const python = process.env.TABGYM_PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');
const packages = [
  ...['gymnasium', 'websockets', 'anywidget', 'pandas'],
  ...['nbclient', 'ipykernel', 'jupyterlab', 'marimo', 'pytest'],
];
const inVenv = process.platform === 'win32' ? 'Scripts\\python' : 'bin/python';
const advice = `Please run, outside of this folder:
  python3 -m venv ../tabgym-python
  ../tabgym-python/${inVenv} -m pip install -e "python[test]"
and name it: TABGYM_PYTHON=../tabgym-python/${inVenv} npm run test:python`;

function requirePython() {
  const program = `import importlib.util as u, sys
if sys.version_info < (3, 10): sys.exit("Python " + sys.version.split()[0] + " is too old: 3.10 or later is needed.")
missing = [name for name in ${JSON.stringify(packages)} if u.find_spec(name) is None]
if missing: sys.exit("Python lacks " + ", ".join(missing) + ".")`;
  const { error, status, stderr } = spawnSync(python, ['-c', program], { encoding: 'utf8' });
  if (!error && status === 0) return;
  console.error(`${error ? `Not found: Python (${python}).` : stderr.trim()}\n${advice}`);
  process.exit(1);
}

requirePython();
await buildCli();
const run = (name) => `"${process.execPath}" "${join(root, 'scripts/run.mjs')}" ${name}`;
const words = process.argv.slice(2);
const { status } = spawnSync(
  python,
  ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...(words.length ? words : ['tests'])],
  {
    cwd: join(root, 'python'),
    stdio: 'inherit',
    env: {
      ...process.env,
      PYTHONPATH: join(root, 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
      TABGYM_SERVE: run('serve'),
      TABGYM_REPLAY: run('python-steps'),
    },
  },
);
process.exit(status ?? 1);
