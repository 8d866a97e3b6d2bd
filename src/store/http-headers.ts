/** What a server says of a file in its headers: its size, its version, its hash. Asks nothing of anyone. */
import { SourceError } from './weights-source.ts';

const hexSha256 = /^[0-9a-f]{64}$/;

/** An etag without its quotes and weakness. */
const plainTag = (tag: string | null) => tag?.replace(/^W\//, '').replace(/^"|"$/g, '') || null;

/** Seconds or a date, as milliseconds from now; at most a minute. */
export function retryAfter(response: Response): number | null {
  const value = response.headers.get('retry-after');
  if (!value) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 60_000) : null;
}

function hashIn(tag: string | null): string | null {
  const hash = plainTag(tag)
    ?.toLowerCase()
    .replace(/^sha256:/, '');
  return hash && hexSha256.test(hash) ? hash : null;
}

/** The SHA-256 of a file's content, where the server states it: as the hub does, or a mirror in its plain etag. */
export const statedHash = ({ headers }: Response) =>
  hashIn(headers.get('x-linked-etag')) ?? hashIn(headers.get('etag'));

/** What tells one content of a file from another, as one answer states it; null: it does not. */
export interface Version {
  /** Of the server that answered, after redirects. */
  host: string;
  linked: string | null;
  tag: string | null;
  modified: string | null;
}

export function versionOf({ url, headers }: Response): Version {
  return {
    host: url && new URL(url).host,
    linked: plainTag(headers.get('x-linked-etag')),
    tag: plainTag(headers.get('etag')),
    modified: headers.get('last-modified'),
  };
}

const differ = (a: string | null, b: string | null) => a !== null && b !== null && a !== b;

/** Whether the content was replaced between two answers. Two servers' own tags and dates of the same content may differ. */
export function isReplaced(before: Version, now: Version): boolean {
  if (differ(before.linked, now.linked)) return true;
  if (before.host !== now.host) return false;
  if (before.tag !== null && now.tag !== null) return before.tag !== now.tag;
  return differ(before.modified, now.modified);
}

/** NaN: not stated. */
export const contentLength = ({ headers }: Response) => Number(headers.get('content-length') ?? Number.NaN);

/** Below this a compressed text may be longer than the text itself. */
const surelyShorter = 1024;

/**
 * Bytes that a whole text has at least; 0: not known. A page may see the length of a compressed body without seeing that it is
 * compressed, and gets more bytes than that.
 */
export function announcedText({ headers }: Response): number {
  const length = Number(headers.get('x-linked-size') ?? headers.get('content-length') ?? 0);
  return length > surelyShorter && !headers.get('content-encoding') ? length : 0;
}

/** Bytes of the whole file. Throws SourceError where the server does not say. */
export function sizeOf(response: Response, name: string): number {
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const whole = response.status === 200 ? response.headers.get('content-length') : null;
  const size = Number(response.headers.get('x-linked-size') ?? total ?? whole ?? Number.NaN);
  if (Number.isSafeInteger(size)) return size;
  throw new SourceError(
    'unreadable',
    `The server does not say how large ${name} is. It must send Content-Length or Content-Range, and show them to this page (Access-Control-Expose-Headers).`,
  );
}
