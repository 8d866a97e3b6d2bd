/** Reads a file of recordings, gzipped or not. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function readRecordingFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch (error) {
    throw new Error(`${path} is not a whole gzip file: ${(error as Error).message}`);
  }
}
