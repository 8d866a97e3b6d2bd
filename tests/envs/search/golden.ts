/** Location and contents of the recordings of the original search worlds. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export const goldenFolder = process.env.TABGYM_GOLDEN ?? '../shared/golden';

export const hasGolden = () => existsSync(`${goldenFolder}/search/world.jsonl.gz`);

/** The rows of a recording without its header. */
export function goldenRows<T>(name: string): T[] {
  const text = gunzipSync(readFileSync(`${goldenFolder}/search/${name}.jsonl.gz`)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line))
    .filter((row) => row.kind !== 'header') as T[];
}
