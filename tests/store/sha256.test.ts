// SHA-256 beside Node's own, at every length around the edges of a block, and its time beside that of our CRC-32.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { crc32 } from '../../src/store/crc32.ts';
import { sha256 } from '../../src/store/sha256.ts';

it('equals the digest of node:crypto', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, k) => (k * 151) & 255);
  for (let length = 0; length <= bytes.length; length++) {
    const part = bytes.subarray(3, 3 + length);
    expect(sha256(part)).toBe(createHash('sha256').update(part).digest('hex'));
  }
});

it('takes at most eight times as long as a CRC-32, because a run of 30,000 records is hashed four times', () => {
  const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, k) => (k * 151) & 255);
  /** Least milliseconds of many: other work on the machine only adds to them. */
  const least = (call: () => unknown) =>
    Math.min(
      ...Array.from({ length: 12 }, () => {
        const start = performance.now();
        call();
        return performance.now() - start;
      }),
    );
  expect(least(() => sha256(bytes)) / least(() => crc32(bytes))).toBeLessThan(8);
});
