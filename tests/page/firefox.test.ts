/**
 * The real page in Firefox, a second browser with a second WGSL compiler: train, reload, continue, self-test. A script
 * injected into the page drives it and reports to this file. The reason: under WebDriver BiDi, with any event
 * subscribed to, Firefox 153 sometimes leaves a new worker stalled after a reload (one reload in ten to forty; none of
 * 300 without it).
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build, type Plugin, preview } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findSoftwareDrivers, root } from '../../scripts/machine.mjs';
import { openFirefox, withWebGpu } from '../../tools/firefox.ts';
import { misbehaving } from '../sandbox/cases.ts';
import { drivenBy, listener } from './driven.ts';
import { buildReal, serveReal } from './harness.ts';

const minutes = 60_000;
/** Reports of the page, in order: the stage it reached, and the text it shows. */
const reports: [about: string, what: string][] = [];
let url = '';
let stop = async () => {};

/** Runs in the page, on every load. */
async function drive() {
  const say = (about: string, what: string) => fetch('/said', { method: 'POST', body: JSON.stringify([about, what]) });
  const at = (path: string) =>
    path
      .split(' ')
      .reduce<Element | null>((node, selector) => (node?.shadowRoot ?? document).querySelector(selector), null);
  const textOf = (path: string) => at(path)?.shadowRoot?.textContent?.replace(/\s+/g, ' ') ?? '';
  const until = async (what: string, path: string, holds: (text: string) => boolean) => {
    for (let i = 0; i < 600; i++) {
      if (holds(textOf(path))) return textOf(path);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const seen = ['transport', 'notices', 'stage'].map((each) => textOf(`tabgym-app tabgym-${each}`));
    throw new Error(`${what} did not come in three minutes: ${seen.join(' | ')}`);
  };
  const stepOf = (text: string) => Number(/Step (\d+)/.exec(text)?.[1] ?? -1);
  const transport = 'tabgym-app tabgym-transport';
  try {
    if (sessionStorage.getItem('reloaded')) {
      await say(
        'resumed',
        await until('the notice', 'tabgym-app tabgym-notices', (text) => text.includes('continues from')),
      );
      await until('step 4', transport, (text) => stepOf(text) >= 4);
      dispatchEvent(new KeyboardEvent('keydown', { key: 'r' }));
      await until('the drawer', 'tabgym-app tabgym-drawer', (text) => text.includes('Device'));
      (at('tabgym-app tabgym-drawer #tab-gpu') as HTMLElement).click();
      const tested = (text: string) => /Checked against plain arithmetic: \d+ kernels/.test(text);
      await say('kernels', await until('the self-test', 'tabgym-app tabgym-drawer tabgym-gpu', tested));
      await say('done', '');
      return;
    }
    await until('the setup', 'tabgym-app tabgym-setup', (text) => text.includes('Micro'));
    const preset = at('tabgym-app tabgym-setup #preset') as HTMLSelectElement;
    preset.value = [...preset.options].find(({ label }) => label === 'Micro')!.value;
    preset.dispatchEvent(new Event('change', { bubbles: true }));
    (at(`${transport} button.train`) as HTMLElement).click();
    await until('step 2', transport, (text) => stepOf(text) >= 2);
    await say('adapter', (at(`${transport} select.device`) as HTMLElement).title);
    // Now, because the run has only eight steps.
    sessionStorage.setItem('reloaded', 'yes');
    location.reload();
  } catch (error) {
    await say('failed', (error as Error).message);
  }
}

const receive = (each: [about: string, what: string]) => void reports.push(each);

/** Serves the sandbox's test page and receives its reports. */
async function serveSandbox(): Promise<{ url: string; close(): Promise<void> }> {
  const outDir = join(root, 'build/page-sandbox');
  const input = join(root, 'tests/page/sandbox-page.html');
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true, rollupOptions: { input } } });
  const configurePreviewServer: Plugin['configurePreviewServer'] = ({ middlewares }) =>
    void middlewares.use('/said', listener(receive));
  const server = await preview({
    root,
    logLevel: 'error',
    plugins: [{ name: 'heard', configurePreviewServer }],
    build: { outDir },
    preview: { port: 0, host: '127.0.0.1' },
  });
  const { port } = server.httpServer.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/tests/page/sandbox-page.html`, close: () => server.close() };
}

/**
 * Without WebGPU the processor trains. With it, WebGPU must be requested, since a software adapter is never chosen over
 * the processor.
 */
const devices: { name: string; search: string; own: { [preference: string]: boolean }; label: RegExp }[] = [
  {
    name: 'on the processor, without WebGPU',
    search: '',
    own: { 'dom.webgpu.enabled': false },
    label: /^processor, \d+ thread/,
  },
  { name: 'on WebGPU', search: '?device=webgpu', own: {}, label: /^software adapter\. You chose it/ },
];

describe('in Firefox', () => {
  beforeAll(async () => {
    ({ url, close: stop } = await serveReal([drivenBy(drive, receive, await buildReal())]));
  }, 3 * minutes);

  beforeEach(() => {
    reports.length = 0;
  });

  afterAll(() => stop());

  test.each(devices)('$name: two steps, reload, continue, self-test', { timeout: 12 * minutes }, async (device) => {
    const [driver] = findSoftwareDrivers();
    const close = openFirefox(`${url}${device.search}`, { ...withWebGpu, ...device.own }, driver);
    try {
      const last = () => reports.at(-1)?.[0];
      await expect.poll(last, { timeout: 11 * minutes, interval: 300 }).toMatch(/^(done|failed)$/);
    } finally {
      await close();
    }
    expect(
      reports.map(([about]) => about),
      JSON.stringify(reports),
    ).toEqual(['adapter', 'resumed', 'kernels', 'done']);
    const { adapter, resumed } = Object.fromEntries(reports);
    expect(adapter, `Firefox with ${driver}`).toMatch(device.label);
    expect(resumed).toMatch(/The run continues from step [2-7]/);
  });
});

describe('the sandbox in Firefox', () => {
  test('stops and names misbehaving code', { timeout: 5 * minutes }, async () => {
    reports.length = 0;
    const served = await serveSandbox();
    const close = openFirefox(served.url);
    try {
      await expect.poll(() => reports.at(-1)?.[0], { timeout: 4 * minutes, interval: 300 }).toMatch(/^(done|failed)$/);
    } finally {
      await close();
      await served.close();
    }
    expect(reports.at(-1)).toEqual(['done', '']);
    expect(reports.map(([about]) => about)).toEqual([...misbehaving.map(({ what }) => what), 'import()', 'done']);
    for (const [index, { what, error, pattern }] of misbehaving.entries()) {
      const [, message] = reports[index];
      expect(message, what).toMatch(pattern);
      expect(message, what).toMatch(new RegExp(`^${error.name}: `));
      expect(message, what).not.toContain('works no more');
    }
    expect(reports.at(-2)).toEqual(['import()', 'nothing']);
  });
});
