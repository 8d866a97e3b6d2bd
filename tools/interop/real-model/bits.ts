/** The same logits and greedy replies in Chromium and Firefox, where these are installed. */
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, findFirefox, root } from '../../../scripts/machine.mjs';
import { openFirefox } from '../../firefox.ts';
import { serveModelPage } from '../../model-page.ts';
import type { BitsReport, BitsRequest } from './page/request.ts';

async function openChromium(url: string): Promise<() => Promise<void>> {
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu });
  await (await browser.newPage()).goto(url);
  return () => browser.close();
}

const browsers: readonly [
  name: string,
  find: () => string | null,
  open: (url: string) => Promise<() => Promise<void>>,
][] = [
  ['Chromium', findChromium, openChromium],
  ['Firefox', findFirefox, async (url) => openFirefox(url)],
];

/** Reports of the browsers that are installed. */
export async function bitsInBrowsers(file: string, request: BitsRequest): Promise<[name: string, BitsReport][]> {
  let receive: (report: BitsReport) => void = () => {};
  const page = join(root, 'tools/interop/real-model/page/index.html');
  const server = await serveModelPage({ page, file, request, receive: (report) => receive(report as BitsReport) });
  const reports: [name: string, BitsReport][] = [];
  for (const [name, find, open] of browsers) {
    if (!find()) continue;
    const report = new Promise<BitsReport>((resolve) => {
      receive = resolve;
    });
    const close = await open(server.url);
    reports.push([name, await report]);
    await close();
  }
  await server.close();
  return reports;
}
