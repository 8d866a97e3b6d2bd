/** Starts a proxy in this process over the six sites. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../proxies/config.ts';
import { type OpenedProxy, openProxy } from '../../proxies/service.ts';
import type { SixSites } from './six-sites.ts';

export interface Opened {
  proxy: OpenedProxy;
  errors: Error[];
  close(): Promise<void>;
}

/** The viewport shows whole pages, as in the oracle's own browser. Chromium has no sandbox as root in a container. */
const usual = { viewport: { width: 1280, height: 6000 }, sandbox: false };

export async function openOver(
  sites: SixSites,
  tasks: readonly object[],
  webarena: object = {},
  others: object = {},
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-proxy-'));
  const file = join(folder, 'test.raw.json');
  writeFileSync(file, JSON.stringify(tasks));
  const config = readConfig(
    { webarena: { tasks: file, sites: sites.config, ...usual, ...webarena }, ...others },
    'the test',
  );
  const errors: Error[] = [];
  const proxy = await openProxy(config, { version: '0.1.0', report: (error) => errors.push(error) });
  return {
    proxy,
    errors,
    async close() {
      await proxy.close();
      rmSync(folder, { recursive: true });
    },
  };
}
