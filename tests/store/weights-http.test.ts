/** Servers that stop responding, tested with fake timers. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HttpSource } from '../../src/store/weights-http.ts';
import { readRange } from '../../src/store/weights-source.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const seconds = (n: number) => vi.advanceTimersByTimeAsync(n * 1000);

interface Asked {
  range: string | null;
  signal: AbortSignal;
}

/** A source that gives `answers[n]` to its n-th request, and the list `asked` of the requests so far. */
function sourceOf(answers: ((asked: Asked) => Response | Promise<Response>)[]) {
  const requests: Asked[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    requests.push({ range: new Headers(init?.headers).get('range'), signal: init!.signal! });
    return answers[requests.length - 1](requests.at(-1)!);
  };
  return {
    requests,
    source: new HttpSource({ id: 'a/b', base: 'http://hub.test' }, { fetch: fetch as typeof globalThis.fetch }),
  };
}

/** Never answers; rejects once the request is aborted. */
const silence = ({ signal }: Asked) =>
  new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const probe = (bytes: number) => () =>
  new Response('x', { status: 206, headers: { 'content-range': `bytes 0-0/${bytes}` } });

/**
 * Answers with the bytes `from` to `to`, one after each pause (seconds), then sends nothing more, unless `total` is
 * reached.
 */
const chunks = (from: number, to: number, pauses: number[], total = to) => {
  let sent = from;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const pause = pauses.shift();
      if (pause === undefined) return sent === total ? controller.close() : new Promise<void>(() => {});
      await new Promise((resolve) => setTimeout(resolve, pause * 1000));
      controller.enqueue(Uint8Array.of(sent++));
    },
  });
  const headers = { 'content-range': `bytes ${from}-${total - 1}/${total}` };
  return () => new Response(body, { status: 206, headers });
};

it('a request without an answer is aborted and repeated after half a minute', async () => {
  const { source, requests } = sourceOf([silence, () => new Response('{}')]);
  const text = source.text('config.json', never);
  await seconds(29);
  expect(requests.length).toBe(1);
  await seconds(2);
  expect(await text).toBe('{}');
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});

it('a download that stalls resumes at the byte where it stopped', async () => {
  const { source, requests } = sourceOf([probe(6), chunks(0, 4, [0, 0, 0, 0], 6), chunks(4, 6, [0, 0])]);
  const file = await source.file('model.safetensors', never);
  const read = readRange(file!, 0, 6, never);
  await seconds(31);
  expect([...(await read)]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(requests.map(({ range }) => range)).toEqual(['bytes=0-0', 'bytes=0-', 'bytes=4-']);
});

it('a slow download is not interrupted', async () => {
  const { source, requests } = sourceOf([probe(4), chunks(0, 4, [25, 25, 25, 25])]);
  const file = await source.file('model.safetensors', never);
  const read = readRange(file!, 0, 4, never);
  await seconds(101);
  expect([...(await read)]).toEqual([0, 1, 2, 3]);
  expect(requests.length).toBe(2);
});

it('a server that stays silent is given up with a message', async () => {
  const { source, requests } = sourceOf(Array(6).fill(silence));
  const failure = expect(source.text('config.json', never)).rejects.toThrow(
    /hub.test cannot be reached \(no data arrived for 30 s\)/,
  );
  await seconds(6 * 30 + 16);
  await failure;
  expect(requests.length).toBe(6);
});

it('the caller can abort at any time', async () => {
  const { source, requests } = sourceOf([silence]);
  const stop = new AbortController();
  const failure = expect(source.text('config.json', stop.signal)).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await failure;
  expect(requests[0].signal.aborted).toBe(true);
});
