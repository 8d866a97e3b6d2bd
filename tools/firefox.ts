/** A Firefox with a clean profile, for tests whose page drives itself (the reason is in tests/page/firefox.test.ts). */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFirefox } from '../scripts/machine.mjs';

const quiet = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
};

/** Preferences under which Firefox offers WebGPU, also in workers and on a software driver. */
export const withWebGpu = {
  'dom.webgpu.enabled': true,
  'gfx.webgpu.ignore-blocklist': true,
  'dom.webgpu.workers.enabled': true,
};

/** Opens an address; returns a function that ends the browser. `driver`: description file of a Vulkan driver. */
export function openFirefox(
  address: string,
  preferences: { [name: string]: boolean } = {},
  driver?: string,
): () => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-firefox-'));
  const lines = Object.entries({ ...quiet, ...preferences }).map(([name, value]) => `user_pref("${name}", ${value});`);
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const vulkan = driver ? { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver } : {};
  const firefox = spawn(
    findFirefox()!,
    ['--headless', '--no-remote', '--wait-for-browser', '--profile', profile, address],
    { env: { ...process.env, ...vulkan }, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => firefox.once('exit', () => resolve()));
  return async () => {
    // On Windows the browser is a child of the started process.
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(firefox.pid), '/T', '/F']);
    else firefox.kill('SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}
