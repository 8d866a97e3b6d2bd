// Household and shop in Chromium: the same seed gives the same bytes as on Node (firefox-transcripts.test.ts: Firefox).
import { describe, expect, it } from 'vitest';
import { launch } from './harness.ts';
import { serveTranscripts, transcriptsHere } from './transcripts-site.ts';

describe('in Chromium', () => {
  it('worlds give the same bytes as on Node', async () => {
    const site = await serveTranscripts('chromium');
    const browser = await launch();
    try {
      await (await browser.newPage()).goto(site.url);
      const here = await transcriptsHere();
      expect(await site.found).toEqual(here);
      for (const { answers } of here) expect(answers).toBeGreaterThan(300);
    } finally {
      await browser.close();
      await site.close();
    }
  });
});
