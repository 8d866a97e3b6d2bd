// SHA-256 beside Node's own, at every length around the edges of a block.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from '../../src/store/sha256.ts';

it('equals the digest of node:crypto', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, k) => (k * 151) & 255);
  for (let length = 0; length <= bytes.length; length++) {
    const part = bytes.subarray(3, 3 + length);
    expect(sha256(part)).toBe(createHash('sha256').update(part).digest('hex'));
  }
});
