/**
 * Model on a server in the Hub's layout, `BASE/OWNER/NAME/resolve/REVISION/FILE`: the public hub, a mirror, or a folder
 * on any static server. Reads with range requests and resumes after a broken connection. A server without range support
 * is read from the start, and the known part is skipped. Sizes and hashes come from the headers (`x-linked-etag`,
 * `etag`), or from the git-lfs pointer of a large file. Depends on HTTP only, never on tensors.
 */
import { sha256 } from 'hash-wasm';
import {
  announcedText,
  contentLength,
  isReplaced,
  retryAfter,
  sizeOf,
  statedHash,
  type Version,
  versionOf,
} from './http-headers.ts';
import { joined } from './joined.ts';
import { type ModelSource, SourceError, type SourceFile } from './weights-source.ts';

/** Address of the public hub. No other file contains it. */
export const publicHub = 'https://huggingface.co';

export interface HubModel {
  /** `owner/name`, or any path under the base. */
  id: string;
  /** Branch, tag or commit. */
  revision?: string;
  /** Address of the hub or mirror, without a trailing slash. */
  base?: string;
}

export interface HttpOptions {
  /** Access token for gated repositories. Sent to the base only and never stored. */
  token?: string | null;
  fetch?: typeof fetch;
  /** Number of consecutive failures before giving up. */
  retries?: number;
  /** Milliseconds before the first retry; doubled for each further one. */
  retryMs?: number;
  /** Milliseconds without data after which a connection counts as broken. */
  stallMs?: number;
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });

/** Thrown for a broken connection or a busy server. Retrying may help. */
class Interrupted extends Error {
  constructor(
    message: string,
    readonly afterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Upper bound of the size of a git-lfs pointer, which is about 130 bytes long. */
const pointerBytes = 1024;

/** Part of a file, up to byte `end`. */
interface Part {
  name: string;
  bytes: number;
  end: number;
  /** Version in the first response. All later responses must have the same one. */
  version: Version;
}

export class HttpSource implements ModelSource {
  readonly key: string;
  readonly label: string;
  private readonly root: string;
  private readonly host: string;
  private readonly options: Required<HttpOptions>;

  constructor(
    readonly model: HubModel,
    options: HttpOptions = {},
  ) {
    const { id, revision = 'main', base = publicHub } = model;
    const trimmed = base.replace(/\/+$/, '');
    const path = id.split('/').map(encodeURIComponent).join('/');
    this.root = `${trimmed}/${path}`;
    this.host = hostOf(trimmed);
    this.revision = encodeURIComponent(revision);
    this.key = `${trimmed}/${id}@${revision}`;
    this.label = id;
    this.options = {
      token: null,
      fetch: globalThis.fetch.bind(globalThis),
      retries: 5,
      retryMs: 500,
      stallMs: 30_000,
      ...options,
    };
  }

  private readonly revision: string;

  names(): null {
    return null;
  }

  async text(name: string, signal: AbortSignal): Promise<string | null> {
    return this.withRetries(signal, () => this.wholeText(name, signal));
  }

  /** Requests and reads in one step, so that a retry repeats both: a broken body cannot be read again. */
  private async wholeText(name: string, signal: AbortSignal): Promise<string | null> {
    const response = await this.request('resolve', name, {}, signal);
    if (!response) return null;
    const bytes = await wholeBody(response, signal, this.options.stallMs);
    const announced = announcedText(response);
    if (bytes.length < announced)
      throw new Interrupted(`the connection ended at byte ${bytes.length} of ${announced} of ${name}`);
    const stated = await this.hashOf(response, name, bytes.length, signal);
    const found = stated && (await sha256(bytes));
    if (stated === found) return new TextDecoder().decode(bytes);
    throw new SourceError(
      'damaged',
      `${name} of ${this.label} was damaged in transfer: its SHA-256 is ${found}, the server states ${stated}. ` +
        'Load it again; if it happens again, use another server.',
    );
  }

  async file(name: string, signal: AbortSignal): Promise<SourceFile | null> {
    const response = await this.withRetries(signal, () =>
      this.request('resolve', name, { range: 'bytes=0-0', 'accept-encoding': 'identity' }, signal),
    );
    if (!response) return null;
    await response.body?.cancel();
    const bytes = sizeOf(response, name);
    const version = versionOf(response);
    const { linked, tag, modified } = version;
    const sha256 = await this.hashOf(response, name, bytes, signal);
    return {
      name,
      bytes,
      sha256,
      identity: sha256 ?? linked ?? tag ?? [`${bytes} bytes`, modified].filter(Boolean).join(', '),
      stream: (start, streamSignal, end = bytes) => this.stream({ name, bytes, end, version }, start, streamSignal),
    };
  }

  /**
   * SHA-256 of a file as stated by the hub. After a redirect to another host, a page sees only that host's headers, and
   * its etag may be any other hash of 64 digits. The hash is then read from the git-lfs pointer.
   */
  private async hashOf(response: Response, name: string, bytes: number, signal: AbortSignal): Promise<string | null> {
    const elsewhere = response.redirected && new URL(response.url).host !== this.host;
    const stated = elsewhere ? null : statedHash(response);
    return stated ?? (response.redirected ? await this.pointer(name, bytes, signal) : null);
  }

  /** Hash in a large file's git-lfs pointer, or null if there is none. */
  private async pointer(name: string, bytes: number, signal: AbortSignal): Promise<string | null> {
    try {
      const response = await this.request('raw', name, { range: `bytes=0-${pointerBytes - 1}` }, signal);
      if (!response) return null;
      // A server without range support sends the whole file, which may be the weights themselves if the repository does
      // not use git-lfs.
      if (response.status !== 206 && !(contentLength(response) <= pointerBytes)) {
        await response.body?.cancel().catch(() => {});
        return null;
      }
      const text = new TextDecoder().decode(await wholeBody(response, signal, this.options.stallMs));
      const [, sha256, size] = /oid sha256:([0-9a-f]{64})\s+size (\d+)/.exec(text) ?? [];
      return Number(size) === bytes ? sha256 : null;
    } catch {
      signal.throwIfAborted();
      return null;
    }
  }

  /** Requests a file. Returns null for 404. Throws Interrupted if retrying may help, else SourceError. */
  private async request(
    kind: 'resolve' | 'raw',
    name: string,
    headers: { [name: string]: string },
    signal: AbortSignal,
  ): Promise<Response | null> {
    const url = `${this.root}/${kind}/${this.revision}/${name.split('/').map(encodeURIComponent).join('/')}`;
    const { token } = this.options;
    const sent = token ? { ...headers, authorization: `Bearer ${token}` } : headers;
    // Caching pieces of a file of many gigabytes is useless and would fill the browser's cache.
    const cache = kind === 'resolve' && 'range' in headers ? 'no-store' : 'default';
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const response = await unlessStalled(
      this.options.stallMs,
      this.options.fetch(url, { headers: sent, signal: either, cache }),
      () => stop.abort(),
    ).catch((error) => {
      signal.throwIfAborted();
      throw new Interrupted((error as Error).message);
    });
    if (response.ok) return response;
    await response.body?.cancel().catch(() => {});
    return this.refused(response, name);
  }

  private refused(response: Response, name: string): null {
    const { status } = response;
    const code = response.headers.get('x-error-code') ?? '';
    if (status === 401 || status === 403 || code === 'GatedRepo') throw this.denied(status);
    if (code === 'RepoNotFound' || code === 'RevisionNotFound')
      throw new SourceError(
        'missing',
        `${this.host} has no ${code === 'RepoNotFound' ? `model "${this.model.id}"` : `revision "${this.model.revision}" of ${this.model.id}`}. Check the spelling.`,
      );
    if (status === 404) return null;
    if (status === 416) throw this.changed(name, 'is now shorter than its received part');
    if (status === 429 || status >= 500 || status === 408)
      throw new Interrupted(`${this.host} answered ${status} ${response.statusText}`.trim(), retryAfter(response));
    throw new SourceError('unreachable', `${this.host} answered ${status} to a request for ${name} of ${this.label}.`);
  }

  private changed(name: string, how: string): SourceError {
    return new SourceError(
      'changed',
      `${name} of ${this.label} ${how}: it changed during loading. Look it up and load it again.`,
    );
  }

  private denied(status: number): SourceError {
    const { token } = this.options;
    const where = `${this.root.replace(/\/+$/, '')}`;
    return new SourceError(
      'denied',
      token
        ? `${this.host} refuses ${this.label} to this token (${status}). Accept the model's licence at ${where} with the token's account, ` +
            'and check that the token may read gated repositories.'
        : `${this.label} is gated or does not exist (${this.host} answered ${status}). Accept its licence at ${where}, then enter an access ` +
            'token of your account, which is kept in memory only; or choose a model that is not gated.',
    );
  }

  /** Retries a call after interruptions, up to the configured number. */
  private async withRetries<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await call();
      } catch (error) {
        await this.pause(error, failures, signal);
      }
    }
  }

  /** Waits before the next attempt, or throws an error written for a person. */
  private async pause(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    if (failures > this.options.retries) throw this.unreachable(error as Error);
    const afterMs = error instanceof Interrupted ? error.afterMs : null;
    await sleep(afterMs ?? this.options.retryMs * 2 ** (failures - 1), signal);
  }

  private unreachable(error: Error): SourceError {
    return new SourceError(
      'unreachable',
      `${this.host} cannot be reached (${error.message}). Check the connection and the address; a server of your own must allow ` +
        'this page (Access-Control-Allow-Origin). The received part is kept: loading continues from there.',
    );
  }

  private async *stream(part: Part, start: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    let position = start;
    for (let failures = 0; position < part.end; ) {
      try {
        for await (const chunk of this.attempt(part, position, signal)) {
          position += chunk.length;
          failures = 0;
          yield chunk;
        }
        if (position < part.end) throw new Interrupted(`the connection ended at byte ${position} of ${part.bytes}`);
      } catch (error) {
        await this.pause(error, ++failures, signal);
      }
    }
  }

  private async *attempt(part: Part, start: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { name, bytes, end } = part;
    const headers = { range: `bytes=${start}-${end === bytes ? '' : end - 1}`, 'accept-encoding': 'identity' };
    const response = await this.request('resolve', name, headers, signal);
    if (!response?.body) throw new SourceError('missing', `${name} of ${this.label} is no longer there.`);
    this.checkSame(response, part, start);
    let skip = response.status === 206 ? 0 : start;
    let left = end - start;
    for await (const chunk of chunksOf(response.body, signal, this.options.stallMs)) {
      const wanted = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - wanted.length;
      if (wanted.length > left && end === bytes)
        throw this.changed(name, `is longer than the ${bytes} bytes announced`);
      // A server without range support continues after the requested end.
      if (left > 0 && wanted.length) yield wanted.subarray(0, left);
      left -= wanted.length;
      if (left <= 0 && end < bytes) return;
    }
  }

  private checkSame(response: Response, { name, bytes, version }: Part, start: number): void {
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (total !== undefined && Number(total) !== bytes)
      throw this.changed(name, `had ${bytes} bytes and now has ${total}`);
    const now = versionOf(response);
    if (isReplaced(version, now))
      throw this.changed(name, `had the version ${versionText(version)} and now has ${versionText(now)}`);
    if (first !== undefined && Number(first) !== start)
      throw new Interrupted(`byte ${start} was requested, but the server began at ${first}`);
  }
}

const versionText = ({ linked, tag, modified }: Version) => JSON.stringify(linked ?? tag ?? modified);

/** Result of `work`. Rejects after `stallMs` and then calls `stop`. */
async function unlessStalled<T>(stallMs: number, work: Promise<T>, stop = () => {}): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Interrupted(`no data arrived for ${stallMs / 1000} s`));
      stop();
    }, stallMs);
  });
  try {
    return await Promise.race([work, stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** Chunks of a body. Leaving the loop early closes the connection. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  stallMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessStalled(stallMs, reader.read()).catch((error) => {
        signal.throwIfAborted();
        throw new Interrupted((error as Error).message);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Reads a whole body, for small files. */
async function wholeBody({ body }: Response, signal: AbortSignal, stallMs: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  if (body) for await (const chunk of chunksOf(body, signal, stallMs)) chunks.push(chunk);
  return joined(chunks);
}

function hostOf(base: string): string {
  try {
    return new URL(base).host;
  } catch {
    throw new SourceError(
      'unreadable',
      `"${base}" is not a server address. Enter one that begins with https:// or http://, for example ${publicHub}.`,
    );
  }
}
