// Published values of FNV-1a, 32 bits (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv, appendix C).
import { expect, it } from 'vitest';
import { fnv1a, hashText } from '../../src/envs/hash.ts';

it.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('the hash of "%s" is the published one', (text, hash) => {
  expect(hashText(text)).toBe(hash);
  expect(fnv1a(new TextEncoder().encode(text))).toBe(hash);
});
