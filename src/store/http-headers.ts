/** Facts about a file in a server's response headers: size, version, hash. Makes no requests. */
import { SourceError } from './weights-source.ts';

const hexSha256 = /^[0-9a-f]{64}$/;

/** An etag without its quotes and weak prefix. */
const plainTag = (tag: string | null) => tag?.replace(/^W\//, '').replace(/^"|"$/g, '') || null;

/** Delay in milliseconds from a number of seconds or a date, at most a minute. */
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

/** SHA-256 of a file's content if the server states it, like the hub in `x-linked-etag` or a mirror in its etag. */
export const statedHash = ({ headers }: Response) =>
  hashIn(headers.get('x-linked-etag')) ?? hashIn(headers.get('etag'));

/** Identifiers of a file's content in one response; null if not stated. */
export interface Version {
  /** Host of the server that answered, after redirects. */
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

/**
 * True if the content was replaced between two responses. Tags and dates are compared only for the same host, because
 * different servers may use different ones for the same content.
 */
export function isReplaced(before: Version, now: Version): boolean {
  if (differ(before.linked, now.linked)) return true;
  if (before.host !== now.host) return false;
  if (before.tag !== null && now.tag !== null) return before.tag !== now.tag;
  return differ(before.modified, now.modified);
}

/** NaN if not stated. */
export const contentLength = ({ headers }: Response) => Number(headers.get('content-length') ?? Number.NaN);

/** Below this size a compressed text may be longer than the text itself. */
const leastCompressibleBytes = 1024;

/**
 * Lower bound of a text's size in bytes; 0 if unknown. A page may see the length of a compressed body without seeing
 * that it is compressed; it then receives more bytes than that.
 */
export function announcedText({ headers }: Response): number {
  const length = Number(headers.get('x-linked-size') ?? headers.get('content-length') ?? 0);
  return length > leastCompressibleBytes && !headers.get('content-encoding') ? length : 0;
}

/** Size of the whole file in bytes. Throws SourceError if the server does not state it. */
export function sizeOf(response: Response, name: string): number {
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const whole = response.status === 200 ? response.headers.get('content-length') : null;
  const size = Number(response.headers.get('x-linked-size') ?? total ?? whole ?? Number.NaN);
  if (Number.isSafeInteger(size)) return size;
  throw new SourceError(
    'unreadable',
    `The server does not state the size of ${name}. It must send Content-Length or Content-Range, and expose them to this page (Access-Control-Expose-Headers).`,
  );
}
