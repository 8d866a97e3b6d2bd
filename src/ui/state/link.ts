/**
 * The fields of an address's fragment other than the selected place (selection.ts): an experiment, and settings that a
 * teacher fixes (lesson, preset, seed, hidden controls, language). Its contents may be hostile: sizes are bounded here,
 * and the schema checks the rest before use.
 *
 *   x=1.TEXT       the experiment: JSON, deflated raw (RFC 1951), base64url without padding (RFC 4648, section 5)
 *   assignment=1.TEXT  an assignment, packed in the same way
 *   shipped=NAME  a run that the site ships (control/shipped-runs.ts), if the place's run is not stored yet
 *   join=CODE  the code of a class, for the panel that joins it
 *   view=simple  the arrangement of the page (arrangement.ts)
 *   preset=NAME  seed=7  lesson=ID  hide=world,algorithm.clipLow  lang=zh-Hans
 */
import { msg, str } from '@lit/localize';
import { formatHash, type Selection } from './selection.ts';

export interface PageLink {
  /** Packed form of the experiment; `unpackExperiment` reads it. */
  experiment: string | null;
  /** Packed form of an assignment. */
  assignment: string | null;
  /** Name of a run that the site ships. */
  shipped: string | null;
  preset: string | null;
  seed: number | null;
  lesson: string | null;
  /** Hidden controls, sections of the setup and paths of knobs. */
  hide: readonly string[];
  lang: string | null;
  /** Code of a class. */
  join: string | null;
  /** Arrangement of the page; null: the lab if the address names anything, otherwise the remembered one. */
  view: 'simple' | 'lab' | null;
}

export const noLink: PageLink = {
  experiment: null,
  assignment: null,
  shipped: null,
  preset: null,
  seed: null,
  lesson: null,
  hide: [],
  lang: null,
  join: null,
  view: null,
};

/** Longest address that the page offers as a link: older proxies and chat programs cut longer ones. */
export const longestLink = 8192;
/**
 * Largest unpacked JSON. A link has at most 8 KB, and deflate shrinks at most 1032 times; this bound stops a
 * decompression bomb.
 */
const mostBytes = 512 * 1024;
/** Each rendering looks every control up in the list of the hidden ones. */
const mostHidden = 200;
const version = '1.';

/** The contents of a link cannot be used. */
export class LinkError extends Error {
  override name = 'LinkError';
}

const matching = (text: string | null, pattern: RegExp) => (text !== null && pattern.test(text) ? text : null);
const name = /^[\w-]{1,60}$/;
const classCode = /^[\w-]{1,60}$/;

/** Code of the class whose board an address names, and the teacher's key in it; null: the address names none. */
export function parseBoard(hash: string): { code: string; key: string | null } | null {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const code = matching(query.get('board'), classCode);
  return code === null ? null : { code, key: matching(query.get('key'), classCode) };
}

export function parseLink(hash: string): PageLink {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const seed = matching(query.get('seed'), /^\d{1,9}$/);
  return {
    experiment: query.get('x') || null,
    assignment: query.get('assignment') || null,
    shipped: matching(query.get('shipped'), name),
    preset: query.get('preset')?.slice(0, 120) || null,
    seed: seed === null ? null : Number(seed),
    lesson: matching(query.get('lesson'), name),
    hide: (query.get('hide') ?? '').split(',', mostHidden).filter((each) => /^[\w.*-]{1,80}$/.test(each)),
    lang: matching(query.get('lang'), name),
    join: matching(query.get('join'), classCode),
    view: matching(query.get('view'), /^(simple|lab)$/) as PageLink['view'],
  };
}

/** Fragment of a link and a place, with its `#`; empty if both have their defaults. */
export function formatLink(link: PageLink, selection: Selection): string {
  const query = new URLSearchParams(formatHash(selection).slice(1));
  const { experiment, hide, ...plain } = link;
  for (const [key, value] of Object.entries(plain)) if (value !== null) query.set(key, String(value));
  if (hide.length) query.set('hide', hide.join(','));
  if (experiment !== null) query.set('x', experiment);
  const text = query.toString();
  return text ? `#${text}` : '';
}

const toBase64Url = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
};

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes of a stream. Throws if there are more than `most`. */
async function gathered(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > most) {
      await reader.cancel();
      throw new LinkError(
        msg(str`This link unpacks to more than ${most / 1024} KB, the limit for an experiment. Nothing was opened.`),
      );
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}

const through = (bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);

export async function packExperiment(experiment: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(experiment));
  const packed = await gathered(through(bytes, new CompressionStream('deflate-raw')), mostBytes);
  return version + toBase64Url(packed);
}

/**
 * Experiment of a link, not yet checked by the schema. Rejects with a LinkError whose message is meant for the reader.
 */
export async function unpackExperiment(text: string): Promise<unknown> {
  if (!text.startsWith(version))
    throw new LinkError(
      msg('This link was made by a newer version of the page, or is damaged. Ask its sender for a new one.'),
    );
  try {
    const packed = fromBase64Url(text.slice(version.length));
    const bytes = await gathered(through(packed, new DecompressionStream('deflate-raw')), mostBytes);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError(msg('This link is damaged: the experiment in it cannot be read. Copy the whole link again.'));
  }
}
