/**
 * Generates a corpus from a seed: documents in Search-R1's format, with word frequencies as uneven as a language's and
 * a unique title each. Written to a file, plain or gzipped. Document k is the same whatever the size of the corpus, so
 * that a check can search for it.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const distinctWords = 40_000;
const wordsEach = 90;
const titleWords = 2;
/** Lines per write. */
const batch = 200;

/** A generator per document, so that each can be made alone (constants from Numerical Recipes). */
function randomOf(seed: number): (below: number) => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const wordList: readonly string[] = (() => {
  const random = randomOf(0);
  const syllable = () => 'bcdfglmnprst'[random(12)] + 'aeiou'[random(5)];
  return Array.from({ length: distinctWords }, (_, k) => Array.from({ length: 2 + (k % 3) }, syllable).join(''));
})();

/** The cube makes the first words frequent and the last ones rare. */
const word = (random: (below: number) => number) => wordList[Math.floor(distinctWords * (random(1000) / 1000) ** 3)];
const words = (random: (below: number) => number, count: number) =>
  Array.from({ length: count }, () => word(random)).join(' ');

/** Title and text of document k. */
function documentOf(k: number, length: number): { title: string; text: string } {
  const random = randomOf(k);
  return { title: `${words(random, titleWords)} ${k}`, text: words(random, length) };
}

/** Title of document k; the number in it makes it unique. */
export const titleOf = (k: number): string => documentOf(k, 0).title;

function lineOf(k: number, length = wordsEach): string {
  const { title, text } = documentOf(k, length);
  return JSON.stringify({ id: String(k), contents: `"${title}"\n${text}` });
}

/** Some words of document k's text, as a query for it. */
export const questionOf = (k: number, count: number, length = wordsEach): string =>
  documentOf(k, length).text.split(' ').slice(-count).join(' ');

export interface Made {
  documents: number;
  /** Size before gzip. */
  bytes: number;
}

/** Size of the corpus: `bytes`, or the number of documents, whichever is reached first. */
export interface Wanted {
  bytes?: number;
  documents?: number;
  /** Words in each document's text. */
  length?: number;
}

/** Writes the corpus to `path`, gzipped if it ends in `.gz`. */
export async function writeCorpus(
  path: string,
  { bytes = Infinity, documents = Infinity, length }: Wanted,
): Promise<Made> {
  const made: Made = { documents: 0, bytes: 0 };
  function* parts(): Generator<Buffer> {
    while (made.bytes < bytes && made.documents < documents) {
      const lines = Array.from({ length: batch }, (_, k) => lineOf(made.documents + k, length));
      const part = Buffer.from(`${lines.join('\n')}\n`);
      made.documents += batch;
      made.bytes += part.length;
      yield part;
    }
  }
  const file = createWriteStream(path);
  const source = Readable.from(parts());
  if (path.endsWith('.gz')) await pipeline(source, createGzip({ level: 1 }), file);
  else await pipeline(source, file);
  return made;
}
