// `npm run test:python -- widget`: the notebook of the widget in JupyterLab and in marimo, in Chromium: the agent trains in the page, and
// the kernel's cells show its metrics and trajectories.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgs, findChromium, root } from './machine.mjs';

const patienceMs = 240_000;

/** Starts a program; `ready` is the text that it prints once it serves, from which the address is taken. */
function served(python, words, { cwd, env, ready }) {
  const child = spawn(python, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const address = new Promise((resolve, reject) => {
    const read = (text) => {
      printed += text;
      const found = ready.exec(printed);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', () => reject(new Error(`${words.join(' ')} ended:\n${printed}`)));
    setTimeout(() => reject(new Error(`${words.join(' ')} does not start:\n${printed}`)), patienceMs).unref();
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    address,
    async close() {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGTERM'), 3000).unref();
      setTimeout(() => child.kill('SIGKILL'), 8000).unref();
      await ended;
    },
  };
}

async function inPage(address, use) {
  const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: chromiumArgs });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    const problems = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(address);
    return await use(page, problems);
  } finally {
    await browser.close();
  }
}

/** Waits for a text of the element in the page. */
const elementShows = (page, text) =>
  page.waitForFunction((wanted) => document.querySelector('tab-gym')?.shadowRoot?.textContent.includes(wanted), text);

/** Runs a cell until its number is there: a kernel that is not connected yet drops the request. */
async function runCell(page, cell) {
  const prompt = cell.locator('.jp-InputPrompt').first();
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const text = (await prompt.textContent()) ?? '';
    if (/\d/.test(text)) return;
    if (!text.includes('*')) {
      await cell.locator('.cm-content').click();
      await page.keyboard.press('Control+Enter');
    }
    await page.waitForTimeout(2000);
  }
  throw new Error(`A cell does not run: ${await cell.textContent()}`);
}

/** Runs the cells one by one, and waits for the training before those that show its results. */
async function inJupyter(python, folder, env) {
  const words = ['-m', 'jupyterlab', '--no-browser', '--allow-root', '--ServerApp.token=', '--ServerApp.port=0'];
  const lab = served(python, words, {
    cwd: folder,
    env,
    ready: /http:\/\/localhost:\d+\/lab|http:\/\/127\.0\.0\.1:\d+\/lab/,
  });
  try {
    return await inPage(`${await lab.address}/tree/widget.ipynb?reset`, async (page, problems) => {
      const cells = page.locator('.jp-Cell');
      const run = (index) => runCell(page, cells.nth(index));
      await cells.nth(1).waitFor();
      // The heading is the first cell.
      await run(1);
      await elementShows(page, 'Ready');
      await run(2);
      await elementShows(page, 'Finished');
      for (const index of [3, 4]) await run(index);
      const table = cells.nth(3).locator('.jp-OutputArea-output table');
      await table.waitFor();
      const talk = cells.nth(4).locator('.jp-OutputArea-output');
      await talk.waitFor();
      const rows = await table.locator('tbody tr').count();
      return `steps ${rows}\n${await talk.textContent()}\n${problems.join('\n')}`;
    });
  } finally {
    await lab.close();
  }
}

const marimoApp = `import marimo

app = marimo.App()


@app.cell
def show():
    import marimo
    import tabgym

    agent = marimo.ui.anywidget(tabgym.Widget(tabgym.preset("micro", steps=2)))
    agent
    return (agent,)


@app.cell
def status(agent):
    f"the kernel has {agent.value['status']}, {len(agent.widget.metrics())} rows"
    return


if __name__ == "__main__":
    app.run()
`;

/** In marimo the page's buttons start the training, and a cell that reads the widget runs again by itself. */
async function inMarimo(python, folder, env) {
  writeFileSync(join(folder, 'app.py'), marimoApp);
  const words = ['-m', 'marimo', 'run', 'app.py', '--headless', '--no-token', '--host', '127.0.0.1'];
  const marimo = served(python, words, { cwd: folder, env, ready: /http:\/\/(?:localhost|127\.0\.0\.1):\d+/ });
  try {
    return await inPage(await marimo.address, async (page, problems) => {
      const element = page.locator('tab-gym');
      await element.getByRole('button', { name: 'Train', exact: true }).click();
      await element.getByText('Finished').waitFor();
      const line = page.getByText(/the kernel has finished, \d+ rows/);
      await line.waitFor();
      return `${await line.textContent()}\n${problems.join('\n')}`;
    });
  } finally {
    await marimo.close();
  }
}

const parts = {
  JupyterLab: { run: inJupyter, wanted: ['steps 6', 'reward', 'assistant: '] },
  marimo: { run: inMarimo, wanted: ['finished, 3 rows'] },
};

/** Number of parts that failed. `packages`: folder with the built package. */
export async function testNotebookPages(python, packages) {
  let failed = 0;
  for (const [name, { run, wanted }] of Object.entries(parts)) {
    const folder = mkdtempSync(join(tmpdir(), 'tabgym-notebook-'));
    cpSync(join(root, 'python/notebooks/widget.ipynb'), join(folder, 'widget.ipynb'));
    const env = { ...process.env, PYTHONPATH: packages, HOME: folder, JUPYTER_PREFER_ENV_PATH: '1' };
    const shown = await run(python, folder, env).catch((error) => error.stack);
    const ok = wanted.every((part) => shown.includes(part));
    console.log(`${ok ? 'ok    ' : 'FAILED'} the widget in ${name}`);
    if (!ok) console.log(shown);
    failed += ok ? 0 : 1;
    rmSync(folder, { recursive: true, force: true });
  }
  return failed;
}
