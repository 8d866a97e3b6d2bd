/** The page side of transcripts-site.ts: has a worker play every case, and posts the results. */
import type { TranscriptCase } from '../envs/transcripts.ts';

const worker = new Worker(new URL('./transcripts-worker.ts', import.meta.url), { type: 'module' });

const play = (each: TranscriptCase) =>
  new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data.value ?? data.error);
    worker.onerror = ({ message }) => resolve(message);
    worker.postMessage(each);
  });

const found = [];
for (const each of await (await fetch('/cases')).json()) found.push(await play(each));
await fetch('/found', { method: 'POST', body: JSON.stringify(found) });
