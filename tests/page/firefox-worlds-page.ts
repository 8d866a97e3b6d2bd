/** The page side of firefox-worlds.test.ts: samples of search, tools and SQL in workers, the web's oracles in a frame. */
import '../envs/web-frame-page.ts';
import type { Task } from '../../src/envs/env.ts';

declare const webFrames: { play(script: string, tasks: Task[]): Promise<string[][]> };

const say = (about: string, what: unknown) => fetch('/said', { method: 'POST', body: JSON.stringify([about, what]) });
const read = async (path: string) => (await fetch(path)).text();

function ask(worker: Worker, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage([name]);
  });
}

try {
  const worker = new Worker(new URL('../browser/search-worker.ts', import.meta.url), { type: 'module' });
  await say('search', { text: await ask(worker, 'text'), found: await ask(worker, 'found') });
  const tools = new Worker(new URL('../browser/tools-worker.ts', import.meta.url), { type: 'module' });
  await say('tools', await ask(tools, 'episodes'));
  await say('web', await webFrames.play(await read('/frame.js'), JSON.parse(await read('/tasks'))));
  await say('done', '');
} catch (error) {
  await say('failed', String(error));
}
