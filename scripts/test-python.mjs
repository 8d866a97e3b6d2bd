// `npm run test:python [-- client | notebooks | widget ...] [-- --built]`: the tests of the Python package in python/, against a server
// of these sources. No other check needs Python; without it, or without its packages, this prints the commands that
// install them. `--built` uses build/python as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPython } from './build-python.mjs';
import { requireBrowser, root } from './machine.mjs';
import { testNotebookPages } from './notebook-page.mjs';
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

const built = join(root, 'build/python');
const run = (name) => `"${process.execPath}" "${join(root, 'scripts/run.mjs')}" ${name}`;

/** Runs test files of a folder that has the package, too: Python imports from there. Number of failures. */
function pytest(folder, ...files) {
  const env = {
    ...process.env,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    TABGYM_SERVE: run('serve'),
    TABGYM_REPLAY: run('python-steps'),
  };
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...files.map((name) => `tests/test_${name}.py`)];
  return spawnSync(python, words, { cwd: folder, stdio: 'inherit', env }).status === 0 ? 0 : 1;
}

/** The first needs the sources alone; the others need the built package. */
const parts = {
  client: () => pytest(join(root, 'python'), 'openenv', 'hostile_server', 'environment', 'equal_to_node'),
  notebooks: () => pytest(built, 'widget', 'notebooks'),
  widget: () => testNotebookPages(python, built),
};

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = words.filter((word) => !(word in parts));
if (unknown.length) {
  console.error(`There is no part ${unknown.join(', ')}: choose from ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const chosen = words.length ? words : Object.keys(parts);
requirePython();
if (chosen.includes('widget')) requireBrowser();
await buildCli();
if (chosen.some((name) => name !== 'client') && !(process.argv.includes('--built') && existsSync(built)))
  await buildPython();
let failed = 0;
for (const name of chosen) {
  console.log(`== ${name}`);
  failed += await parts[name]();
}
console.log(failed ? `${failed} failed` : 'The Python package works.');
process.exit(failed ? 1 : 0);
