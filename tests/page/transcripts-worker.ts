/** Plays transcripts in a page's worker, where worlds run on the page. */
import { type TranscriptCase, transcriptOf } from '../envs/transcripts.ts';

self.addEventListener('message', async ({ data }: MessageEvent<TranscriptCase>) => {
  try {
    postMessage({ value: await transcriptOf(data) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
