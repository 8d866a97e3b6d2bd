// Runs `npm start` as a person does, for checks: provides its address, stops it, and takes a training step in its page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { root } from './machine.mjs';

const minute = 60_000;
/**
 * The first step compiles every kernel: about a minute on a software adapter with two cores, longer if they are shared.
 */
const stepTimeout = 15 * minute;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts `npm start` of a checkout in its own process group; resolves with its address once it has printed it. */
export async function startPage(folder = root) {
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'start']] : ['npm', ['start']];
  const env = { ...process.env, PORT: String(await freePort()) };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const stop = () => stopGroup(child);
  let output = '';
  const address = new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      process.stdout.write(bytes);
      output += bytes;
      const found = /Tabgym is at (http:\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`\`npm start\` ended with ${code} before it printed an address.`)));
    setTimeout(() => reject(new Error('`npm start` printed no address within five minutes.')), 5 * minute).unref();
  });
  try {
    return { address: await address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops npm, its shell and the server. Windows has no process groups. */
async function stopGroup(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/t', '/f']);
  else process.kill(-child.pid, 'SIGTERM');
  await gone;
}

/** Takes one step of the run in the setup; returns the step that the page then shows. */
export async function trainOneStep(page) {
  await page.getByRole('button', { name: 'Step', exact: true }).click({ timeout: 2 * minute });
  const shown = page.locator('tabgym-transport .steps strong');
  await shown.filter({ hasText: /Step 1\b/ }).waitFor({ timeout: stepTimeout });
  return shown.textContent();
}
