// Household and shop in Firefox: the same seed gives the same bytes as on Node.
import { describe, expect, it } from 'vitest';
import { openFirefox } from '../../tools/firefox.ts';
import { serveTranscripts, transcriptsHere } from './transcripts-site.ts';

describe('in Firefox', () => {
  it('worlds give the same bytes as on Node', async () => {
    const site = await serveTranscripts('firefox');
    const close = openFirefox(site.url);
    try {
      const here = await transcriptsHere();
      expect(await site.found).toEqual(here);
      for (const { answers } of here) expect(answers).toBeGreaterThan(300);
    } finally {
      await close();
      await site.close();
    }
  });
});
