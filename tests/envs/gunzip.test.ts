// Unpacking gzip into one buffer, compared with Node's zlib.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Gunzip, GzipError } from '../../src/envs/transport/gunzip.ts';

const text = (lines: number) =>
  new TextEncoder().encode(Array.from({ length: lines }, (_, i) => `${i}: ${(i * 2654435761) % 977}\n`).join(''));

const joined = (...parts: Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));

/** Unpacks `step` bytes at a time, as they come from a file. */
function unpack(packed: Uint8Array, step: number): Uint8Array {
  const gunzip = new Gunzip();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < packed.length; at += step)
    for (const view of gunzip.push(packed.slice(at, at + step))) parts.push(view.slice());
  gunzip.end();
  return new Uint8Array(Buffer.concat(parts));
}

describe('gzip unpacked in pieces', () => {
  const [small, large] = [text(40), text(60_000)];
  const members = joined(gzipSync(small), gzipSync(new Uint8Array(0)), gzipSync(large, { level: 0 }), gzipSync(small));

  it.each([1, 7, 1000, 65_536, 10_000_000])('of %d bytes gives the original bytes, member after member', (step) => {
    const packed = step === 1 ? joined(gzipSync(small), gzipSync(small)) : members;
    const wanted = step === 1 ? joined(small, small) : joined(small, large, small);
    expect(Buffer.from(unpack(packed, step)).equals(wanted)).toBe(true);
  });

  it('gives output a thousand times as long as its input', () => {
    const zeros = new Uint8Array(20_000_000);
    expect(Buffer.from(unpack(gzipSync(zeros), 256 * 1024)).equals(zeros)).toBe(true);
  });

  it('stops beyond its bound if the output is more than 32 times as long as the input', { tags: 'slow' }, () => {
    const all = (packed: Uint8Array) => [...new Gunzip(1 << 20).push(packed)].length;
    expect(() => all(gzipSync(new Uint8Array(4 << 20)))).toThrow(/more than 1 MiB and 32 times its size/);
    expect(all(gzipSync(new Uint8Array(1 << 20)))).toBeGreaterThan(0);
    expect(all(gzipSync(text(2 << 20)))).toBeGreaterThan(0);
  });

  it('stops after 32 MiB if the output is more than 256 times as long as what was unpacked of the input', () => {
    const packed = gzipSync(new Uint8Array(40 << 20));
    let written = 0;
    expect(() => {
      for (const view of new Gunzip().push(packed)) written += view.length;
    }).toThrow(/more than 32 MiB and 256 times its size/);
    expect(written).toBeLessThanOrEqual(32 << 20);
  });

  it('accepts zeros after the last member, and nothing else', () => {
    expect(unpack(joined(gzipSync(small), new Uint8Array(600)), 100)).toEqual(small);
    expect(() => unpack(joined(gzipSync(small), text(3)), 100)).toThrow(GzipError);
  });

  it.each([
    ['nothing', new Uint8Array(0), 'too early'],
    ['no gzip', text(3), 'incorrect header check'],
    ['one without its end', gzipSync(large).subarray(0, -9), 'too early'],
    ['one without its checksum', gzipSync(large).subarray(0, -1), 'too early'],
  ])('refuses %s', (_, packed, message) => {
    expect(() => unpack(packed, 1000)).toThrow(message);
  });

  it('refuses a member with a wrong checksum, after all its bytes', () => {
    const packed = new Uint8Array(gzipSync(small));
    packed[packed.length - 5] ^= 1;
    const gunzip = new Gunzip();
    const views = gunzip.push(packed);
    expect(views.next().value).toEqual(small);
    expect(() => views.next()).toThrow('incorrect data check');
  });
});
